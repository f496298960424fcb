import { chargeView } from '../../src/staff/inspect/views.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { charge } from '../store/support/documents.ts';

describe("the staff's view of a charge", () => {
  it('shows the exact refusal of the router', () => {
    const refusal = { kind: 'revoked', text: 'the payer has revoked the agreement on the chain' };
    const view = chargeView({ catalog: scriptedCatalog() }, { ...charge(), refusal }, null);
    expect(view.refusal).toBe(refusal.text);
    expect(chargeView({ catalog: scriptedCatalog() }, charge(), null).refusal).toBeNull();
  });
});
