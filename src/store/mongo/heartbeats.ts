const HEARTBEAT = ['serverHeartbeatStarted', 'serverHeartbeatSucceeded', 'serverHeartbeatFailed'] as const;

type Listener = (told: { readonly connectionId: string }) => void;

/** What of the driver's client is watched. */
export interface Watched {
  readonly options: { readonly connectTimeoutMS: number; readonly heartbeatFrequencyMS: number };
  on(event: (typeof HEARTBEAT)[number], listener: Listener): unknown;
  off(event: (typeof HEARTBEAT)[number], listener: Listener): unknown;
  close(): Promise<void>;
  connect(): Promise<unknown>;
}

export interface HeartbeatLog {
  warn(fields: object, message: string): void;
}

/** How often heartbeats are looked at. A process that stood still for an hour has missed one look, not hundreds. */
const LOOK_MS = 5_000;
const AGAIN_MS = 1_000;

/**
 * Connects the client anew when a heartbeat has not ended for longer than the driver lets any take. A line that is taken and
 * broken at once (by a proxy whose server is away, as a container's or a load balancer's) can leave the driver waiting for
 * ever for its first word: it looks at that server no more, and every operation fails until the process is started again.
 * Whatever is under way when that is noticed has been failing anyway, and fails once more. Until the returned function is
 * called.
 */
export function reconnectWhenStuck(client: Watched, log: HeartbeatLog, lookMs = LOOK_MS): () => void {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  const looksMost = Math.ceil((connectTimeoutMS + heartbeatFrequencyMS) / lookMs) + 1;
  /** Server → how many looks have found its heartbeat under way. */
  const looks = new Map<string, number>();
  let isStopped = false;
  let isConnecting = false;
  const began: Listener = ({ connectionId }) => void looks.set(connectionId, 0);
  const ended: Listener = ({ connectionId }) => void looks.delete(connectionId);
  const [started, ...ends] = HEARTBEAT;
  client.on(started, began);
  for (const end of ends) client.on(end, ended);

  const reconnect = async (): Promise<void> => {
    isConnecting = true;
    looks.clear();
    while (!isStopped) {
      try {
        await client.close();
        if (!isStopped) await client.connect();
        break;
      } catch (error) {
        log.warn({ err: error }, 'MongoDB does not answer a new connection either');
        await new Promise((resolve) => setTimeout(resolve, Math.min(lookMs, AGAIN_MS)));
      }
    }
    isConnecting = false;
    if (isStopped) await client.close();
  };
  const look = setInterval(() => {
    for (const [server, before] of looks) looks.set(server, before + 1);
    const [stuck] = [...looks].find(([, count]) => count > looksMost) ?? [];
    if (stuck === undefined || isConnecting) return;
    log.warn({ server: stuck }, 'the driver has stopped looking at MongoDB; it is connected anew');
    void reconnect();
  }, lookMs).unref();
  return () => {
    isStopped = true;
    clearInterval(look);
    client.off(started, began);
    for (const end of ends) client.off(end, ended);
  };
}
