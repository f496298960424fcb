import { getBytes, JsonRpcProvider, type TypedDataField, Wallet } from 'ethers';
import { say } from '../../i18n/say.ts';
import type { Provider } from './eip1193.ts';
import { fieldOf } from './field-of.ts';

/** An EIP-1193 provider that signs with a given key and without a prompt: only for local chains. */
export function keyProvider(
  privateKey: string,
  chain: { readonly rpcUrl: string; readonly chainId: number },
): Provider {
  const rpc = new JsonRpcProvider(chain.rpcUrl, chain.chainId, { staticNetwork: true, pollingInterval: 500 });
  const wallet = new Wallet(privateKey, rpc);
  return {
    request: async ({ method, params = [] }) => {
      switch (method) {
        case 'eth_requestAccounts':
        case 'eth_accounts':
          return [wallet.address];
        case 'eth_chainId':
          return `0x${chain.chainId.toString(16)}`;
        case 'wallet_switchEthereumChain':
          return switchChain(params[0], chain.chainId);
        case 'personal_sign':
          return wallet.signMessage(getBytes(String(params[0])));
        case 'eth_signTypedData_v4':
          return signTyped(wallet, String(params[1]));
        case 'eth_sendTransaction':
          return (await wallet.sendTransaction(callIn(params[0]))).hash;
        default:
          return rpc.send(method, [...params]);
      }
    },
  };
}

function switchChain(wanted: unknown, chainId: number): null {
  if (Number(fieldOf(wanted, 'chainId')) === chainId) return null;
  throw Object.assign(new Error(say('wallet_error.only_local')), { code: 4902 });
}

interface TypedData {
  readonly types: Record<string, TypedDataField[]>;
  readonly domain: Record<string, string | number>;
  readonly message: Record<string, unknown>;
}

function signTyped(wallet: Wallet, text: string): Promise<string> {
  const { types, domain, message }: TypedData = JSON.parse(text);
  const { EIP712Domain: _domain, ...rest } = types;
  return wallet.signTypedData(domain, rest, message);
}

function callIn(call: unknown): { to: string; data: string } {
  if (typeof call === 'object' && call !== null && 'to' in call && 'data' in call) {
    return { to: String(call.to), data: String(call.data) };
  }
  throw new Error('eth_sendTransaction needs the fields to and data');
}
