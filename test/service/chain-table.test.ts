import { chainTable } from '../../src/service/chain-table.ts';

it('lists the chains of an installation, and what each lacks', () => {
  const health = { enabled: true, head: 1, reverts: 0, open: 0, senders: [], trouble: null };
  const base = { ...health, chainId: 8453, label: 'Base', trouble: 'the sender 0x01 has no gas' };
  const [ethereum, sepolia] = [1, 11155111].map((chainId) => ({ ...health, chainId, label: `Chain ${chainId}` }));
  const configured = { family: 'evm', testnet: false, rpcUrls: ['http://one'], routers: [] } as const;
  const chains = [8453, 1, 11155111].map((chainId) => ({ ...configured, chainId }));
  expect(chainTable([base, ethereum ?? base, sepolia ?? base], { chains })).toBe(
    [
      '  Charges on                 lacks',
      '  Base (8453)                the sender 0x01 has no gas; a second node in RPC_URL_8453; RPC_URL_84532, so test keys cannot charge',
      '  Chain 1 (1)                a second node in RPC_URL_1',
      '  Chain 11155111 (11155111)  nothing\n',
    ].join('\n'),
  );
  expect(chainTable([], { chains: [] })).toBe('No chain is configured: nothing is charged.\n');
});
