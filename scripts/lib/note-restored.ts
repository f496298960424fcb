import type { ChainReader } from '../../src/chains/chain-reader.ts';
import { markRestored } from '../../src/chains/solana/restored/mark.ts';
import type { RecordStore } from '../../src/store/port.ts';

/**
 * Marks every Solana chain after a restore from a backup: charges wait until the outcome of earlier transactions is
 * known.
 */
export async function noteRestored(
  records: RecordStore,
  chainReaders: readonly Pick<ChainReader, 'family' | 'chainId'>[],
): Promise<void> {
  for (const { family, chainId } of chainReaders) {
    if (family === 'solana') await markRestored(records, chainId, 'the database was restored from a backup');
  }
}
