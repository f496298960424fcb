import { Wallet } from 'ethers';
import { operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import { Bench } from '../evm/bench.ts';
import { MERCHANT, PLATFORM, startWorld, type World, waitingCharge } from '../evm/world.ts';
import { note, type PlayBench, type Playground } from './playground.ts';

class EvmPlayBench extends Bench implements PlayBench {
  play(wish: Parameters<PlayBench['play']>[0] = {}) {
    const { charges, ...shared } = wish;
    return this.chain({ ...shared, ...(charges === undefined ? {} : { sizes: { charges } }) });
  }
}

export async function evmPlayground(decimals = 6): Promise<Playground> {
  return evmPlaygroundOn(await startWorld({ decimals }));
}

/** The playground on a chain, which it stops at the end. */
export function evmPlaygroundOn(world: World): Playground {
  let stopPump = world.pump();
  const { provider } = world.anvil;
  const encode = (name: string, values: unknown[]) => testTokenInterface.encodeFunctionData(name, values);
  return {
    chainId: world.chainId,
    rpcUrl: world.anvil.rpcUrl,
    token: world.usdc,
    merchant: MERCHANT,
    platform: PLATFORM,
    bench: () => new EvmPlayBench(world),
    payer: (merchantId, grant = {}) => world.payer(merchantId, grant),
    stranger: () => Wallet.createRandom().address,
    approve: (wallet, merchantId, amount) => world.approve(wallet, merchantId, amount),
    mint: (wallet, amount) => world.mint(wallet, amount),
    spend: (wallet, amount) => world.act(wallet, world.usdc, encode('transfer', [world.owner, amount])),
    send: (wallet, to, amount) => world.act(wallet, world.usdc, encode('transfer', [to, amount])),
    freeze: (wallet) => world.act(world.owner, world.usdc, encode('setFrozen', [wallet, true])),
    refuse: (wallet) => world.act(world.owner, world.usdc, encode('setRefusing', [wallet, true])),
    charge: (wish) => waitingCharge(world, wish),
    balanceOf: (wallet) => world.balanceOf(wallet),
    async pulls(wallet) {
      const transfers = await world.transfers();
      const operators = new Set([world.router, operatorAddress(world.router, 'mrc_a', 'test')]);
      return transfers.filter(({ from, to }) => from === wallet && operators.has(to));
    },
    async movements() {
      const moved = new Map<string, Map<string, bigint>>();
      for (const { from, to, amount, txHash } of await world.transfers()) {
        note(moved, txHash, from, -amount);
        note(moved, txHash, to, amount);
      }
      return moved;
    },
    passers: [world.router, ...['mrc_a', 'mrc_b'].map((id) => operatorAddress(world.router, id, 'test'))],
    async hold(on) {
      stopPump();
      if (!on) stopPump = world.pump();
    },
    finalize: () => world.mine(3),
    async impoverish() {
      const { address } = createLocalSigner(world.senderKeys[0] ?? '');
      const full = await provider.getBalance(address);
      await provider.send('anvil_setBalance', [address, '0x1']);
      return async () => void (await provider.send('anvil_setBalance', [address, `0x${full.toString(16)}`]));
    },
    isBroadcast: ({ method }) => method === 'eth_sendRawTransaction',
    comparable: (wallet) => wallet.toLowerCase(),
    async stop() {
      stopPump();
      await world.stop();
    },
  };
}
