/** An error as a node or its provider sends it. */
export interface NodeError {
  readonly status: number;
  /** The code of the JSON-RPC error. Null: the answer was no JSON-RPC. */
  readonly code: number | null;
  readonly message: string;
  /** True if the error carries revert data. */
  readonly hasData: boolean;
}

/**
 * Why a node refuses a call. `reverted`: the call ran, and reverted. For a transaction: `known`, the node has it
 * already; `nonce_used`, another one has its nonce; `too_large`, its gas, cost or size is above the node's limit;
 * `underpriced`, it offers too little for its gas. `no_block`: the node does not have the block that the call names.
 */
export type CallRefusal = 'reverted' | 'known' | 'nonce_used' | 'too_large' | 'underpriced' | 'no_block' | 'other';

/**
 * The subject of an error:
 * - `call`: the node refuses this call, and would refuse it again.
 * - `request`: the request asks for too much; the node answers a smaller one. `tooMuch`: `calls`, too many in one HTTP
 *   request; `params`, one call asks for too much (blocks, accounts, results); `either` of these; `contracts`, a call
 *   asks for the logs of every contract.
 * - `moment`: the node cannot answer now (rate limit, overload, no access), whatever was asked. `isBehind`: it only
 *   lacks the blocks that this call needs, and can answer other calls.
 */
export type Verdict =
  | { readonly about: 'call'; readonly why: CallRefusal }
  | { readonly about: 'request'; readonly tooMuch: 'calls' | 'params' | 'either' | 'contracts' }
  | { readonly about: 'moment'; readonly isBehind: boolean };

/** A row matches if all of its columns match. */
interface Row {
  readonly verdict: Verdict;
  readonly status?: (status: number) => boolean;
  readonly codes?: readonly number[];
  readonly words?: RegExp;
}

const REVERTED: Verdict = { about: 'call', why: 'reverted' };
const REFUSED: Verdict = { about: 'call', why: 'other' };
const KNOWN: Verdict = { about: 'call', why: 'known' };
const NONCE_USED: Verdict = { about: 'call', why: 'nonce_used' };
const NO_BLOCK: Verdict = { about: 'call', why: 'no_block' };
const TOO_LARGE: Verdict = { about: 'call', why: 'too_large' };
const UNDERPRICED: Verdict = { about: 'call', why: 'underpriced' };
const MOMENT: Verdict = { about: 'moment', isBehind: false };
const BEHIND: Verdict = { about: 'moment', isBehind: true };
const CALLS: Verdict = { about: 'request', tooMuch: 'calls' };
const PARAMS: Verdict = { about: 'request', tooMuch: 'params' };
const EITHER: Verdict = { about: 'request', tooMuch: 'either' };
const CONTRACTS: Verdict = { about: 'request', tooMuch: 'contracts' };

/**
 * The first matching row decides. Providers use the same codes for different things (-32005 is a rate limit, a range of
 * blocks or a node that is behind), so words come before codes, and narrow words before wide ones.
 */
const ROWS: readonly Row[] = [
  { verdict: REVERTED, codes: [3] },
  { verdict: REVERTED, words: /execution reverted|vm exception|always failing transaction/i },

  // Transactions: geth, Erigon, Nethermind, Besu, Reth, Arbitrum, Solana.
  { verdict: KNOWN, words: /already known|already imported|already exists|\bknown transaction/i },
  { verdict: NONCE_USED, words: /nonce (is )?too low|old ?nonce/i },
  {
    verdict: TOO_LARGE,
    words:
      /exceeds (the )?(block|transaction|tx|max\w*)( max\w*| per-transaction)? gas( limit)?|gas (limit|required)[^.]{0,20} (is )?(too high|exceeds (allowance|the block|transaction|block|max))|gas ?limit ?exceeded|(tx|transaction) fee.{0,60} exceeds the configured cap|oversized data|transaction\b.{0,60} too (large|big)|max initcode/i,
  },

  {
    verdict: UNDERPRICED,
    words:
      /(?<!replacement )(transaction underpriced|fee ?too ?low)|(gas ?price|gas|fee cap|priority fee) (is )?(below|less than|too low)\b.{0,20} (minimum|(block |current )?base ?fee)|gas price too low/i,
  },

  // Batches: drpc (31), geth ("batch too large"), Infura, Ankr, OnFinality, Cloudflare, Solana.
  { verdict: CALLS, codes: [31] },
  {
    verdict: CALLS,
    words:
      /batch too (large|big|long)|batch(es)?( of| size| limit| request| call| too| is| are| not|ing)[^.]{0,60}(more than|too (large|big|many|long)|exceed|limit|max|not (allowed|supported|enabled|available|permitted)|disabled|forbidden)|(too many|maximum|max|exceed\w*)[^.]{0,40}(in (a|the|one) batch|batch(ed)? (size|limit|requests?|calls?))/i,
  },

  // Logs without the address of a contract: publicnode, Forest.
  {
    verdict: CONTRACTS,
    words:
      /\b(specify|provide|include|missing|requires?|without) (an? |the |any |field )?[`'"]?(contract )?address(es)?\b|\baddress(es)? (is|are|must be) (required|missing|specified|provided)/i,
  },

  // One call: Alchemy, Infura, QuickNode, publicnode (-32701), drpc (35), Blast, BSC, Polygon, Berachain (-32614),
  // Solana.
  { verdict: PARAMS, codes: [35, -32614, -32701] },
  {
    verdict: PARAMS,
    words:
      /block[ _-]?range|range of blocks|\brange\b[^.]{0,40}(exceed|limit|large|wide|big|not supported)|(exceed|limit|max)\w*[^.]{0,40}\brange\b|ranges over|blocks? (distance|span)|more than \d[\d,_]* (results|logs|blocks)|max(imum)? (results|logs)|too many (results|logs|blocks|inputs|accounts|addresses|parameters|params|keys|topics)|logs? (response )?(size|count)|(query|request) (duration|returned more)|max usage exceeded/i,
  },

  { verdict: REFUSED, codes: [-32601] },
  // geth, Erigon, Reth, Besu, Nethermind, zkSync, anvil.
  {
    verdict: NO_BLOCK,
    words:
      /header not found|\bblock( \w+)? (was |is )?not found|unknown block|block \w+ could not be found|block with such (an )?id doesn't exist|block height is \d+ but requested/i,
  },
  // Solana: the status or the slot is not there yet.
  { verdict: BEHIND, codes: [-32014, -32016] },
  { verdict: BEHIND, words: /minimum context slot|block not available/i },

  // Rate limits and plans: before rows in which "exceeded" and "limit" may mean anything else.
  { verdict: MOMENT, status: (status) => status === 429 },
  { verdict: MOMENT, codes: [429, -32029] },
  {
    verdict: MOMENT,
    words:
      /too many (concurrent )?(requests|connections)|rate[ -]?limit|rate exceeded|request (limit|rate|count)[^.]{0,30}(reached|exceed)|requests? per|per (second|minute|day|month)|per sec\b|throttl|compute units|credits|quota|(daily|monthly) [^.]{0,30}(limit|count|cap)|capacity (exceeded|limit)|over capacity|overload|busy|try again|retry (later|in|after)|back ?off|temporar|(service|currently|endpoint|node) (is )?unavailable|unhealthy|node is behind|behind by|not (yet )?(synced|ready)|\bsyncing\b|maintenance|upstream|bad gateway|no (healthy|available) |can't route|cannot route|unauthori[sz]ed|authenticat|api[ -]?key|access denied|payment required|project id/i,
  },

  // Too heavy for one answer.
  { verdict: EITHER, status: (status) => status === 413 },
  {
    verdict: EITHER,
    words:
      /(response|request|payload|body|entity|content|message|result)\w*( size| length| body)?( is| was)? (too (large|big|long)|exceed)|(exceed|max)\w*[^.]{0,30}(response|payload|body|content|memory)|memory capacity|timed? ?out|timeout|deadline exceeded/i,
  },
  // "Limit exceeded" alone (EIP-1474) is BSC's answer to a large range of blocks.
  { verdict: PARAMS, codes: [-32005], words: /limit exceeded|exceeds? defined limit/i },

  // Solana: unhealthy, or behind the cluster; Ethereum: limit exceeded.
  { verdict: MOMENT, codes: [-32005] },
  { verdict: MOMENT, status: (status) => status === 401 || status === 402 || status === 403 },
  { verdict: MOMENT, status: (status) => status >= 500 },
];

/**
 * Classifies a node's error by its revert data, then by the table. An error that is not in the table is about the call,
 * because a contract can use any words. Errors about blocks and states that a node does not have are such errors too.
 */
export function classify(error: NodeError): Verdict {
  if (error.hasData) return REVERTED;
  return ROWS.find((row) => holds(row, error))?.verdict ?? REFUSED;
}

function holds({ status, codes, words }: Row, error: NodeError): boolean {
  if (status !== undefined && !status(error.status)) return false;
  if (codes !== undefined && (error.code === null || !codes.includes(error.code))) return false;
  return words === undefined || words.test(error.message);
}

const WORDS_MAX = 300;

/** Shorter parts of a URL's path are names of versions and networks, not keys. */
const SECRET_MIN = 8;

/** Safe for logs and `/health`: one line of at most 300 characters, no credentials, of every URL its host. */
export function quoted(text: string, url: URL): string {
  const { username, password, pathname, searchParams } = url;
  const parts = [...pathname.split('/').filter((part) => part.length >= SECRET_MIN), ...searchParams.values()];
  const secrets = [username, password, ...parts].filter((secret) => secret !== '');
  const spellings = secrets.flatMap((secret) => [secret, decoded(secret)]).sort((a, b) => b.length - a.length);
  const hidden = spellings.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  const oneLine = hidden
    .replace(/<[^>]*>/g, ' ')
    .replace(/(\w+:\/\/)(?:[^\s/@"']*@)?([^\s/?#"']+)[^\s"']*/g, '$1$2')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return oneLine.length > WORDS_MAX ? `${oneLine.slice(0, WORDS_MAX)}…` : oneLine;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
