import { chargeView } from '../../src/staff/inspect/charges.ts';
import { charge } from '../store/support/documents.ts';
import { testCatalog } from '../support/http.ts';

describe("the staff's view of a charge", () => {
  it('shows the exact refusal of the router', () => {
    const refusal = { kind: 'revoked', text: 'the payer has revoked the agreement on the chain' };
    const view = chargeView({ catalog: testCatalog() }, { ...charge(), refusal }, null);
    expect(view.refusal).toBe(refusal.text);
    expect(chargeView({ catalog: testCatalog() }, charge(), null).refusal).toBeNull();
  });
});
