import ts from 'typescript';
import { pathOf } from '../support/repository.ts';

/*
 * What is stored of a merchant without a mode is what its test and live keys share, so one could reach the other by it.
 * Each such field and collection is here under its reason. The lists come from the types of the store.
 */

const FIELDS: { readonly [reason: string]: readonly string[] } = {
  'the merchant itself': ['_id', 'name', 'nameKey', 'createdAt', 'updatedAt', 'recentOps', 'staffEntry'],
  'only staff set it': ['status', 'feeBps', 'limitFactor', 'signUpsPerDay', 'newWalletsPerDay', 'announcementsPerDay'],
  'only admins set it, in the dashboard': ['branding', 'embedOrigins', 'letters', 'invoicing', 'timeZone'],
  'the secret of the reference, which a test key leaves alone once a live URL is saved': [
    'webhook.secret',
    'webhook.secretRotatedAt',
    'webhook.previousSecret',
    'webhook.previousSecretUntil',
  ],
  'only a live key sets it; sandbox events go there too if there is no other URL': ['webhook.liveUrl'],
  'by mode': ['takesCodes', 'webhook.testUrl', 'webhook.modeSecrets', 'webhook.extraEvents'],
};

const COLLECTIONS: { readonly [reason: string]: readonly string[] } = {
  'the merchant': ['merchants'],
  branding: ['logos'],
  'people of the merchant': ['members', 'memberSessions', 'passkeyChallenges'],
  'what staff and admins did': ['staffJournal'],
  'its _id names the mode': ['idempotencyKeys'],
  'of an actor, which has a mode': ['log', 'timers', 'usage'],
  'each of its entries has a mode': ['outbox'],
  'of a payer': ['allowanceChanges', 'portalChallenges', 'portalSessions'],
  'its _id names the mode, except where mail servers refuse the address': ['suppressions'],
  'of a chain': ['transactions', 'lanes', 'chainCursors', 'audits', 'foundCharges'],
  'of the service': ['staffTokens', 'staffSessions', 'settings', 'requests'],
};

const FILE = pathOf('src/store/collections.ts');
const program = ts.createProgram([FILE], { noLib: true, allowImportingTsExtensions: true, types: [] });
const checker = program.getTypeChecker();

/** The fields of an interface in the file. */
function fieldsOf(name: string): readonly ts.Symbol[] {
  const statements = program.getSourceFile(FILE)?.statements ?? [];
  const [found] = statements.flatMap((each) =>
    ts.isInterfaceDeclaration(each) && each.name.text === name ? [each] : [],
  );
  if (found === undefined) throw new Error(`no interface ${name} in ${FILE}`);
  return checker.getTypeAtLocation(found).getProperties();
}

const namesOf = (fields: readonly ts.Symbol[]) => fields.map(({ name }) => name).toSorted();

it('is listed with its reason: every field of a merchant', () => {
  const own = namesOf(fieldsOf('MerchantDoc')).filter((name) => name !== 'webhook');
  const webhook = namesOf(fieldsOf('WebhookSettings')).map((name) => `webhook.${name}`);
  expect([...own, ...webhook].toSorted()).toEqual(Object.values(FIELDS).flat().toSorted());
});

it('is listed with its reason: every collection of documents without a mode', () => {
  const shared = fieldsOf('Collections').filter(
    (each) => checker.getTypeOfSymbol(each).getProperty('mode') === undefined,
  );
  expect(namesOf(shared)).toEqual(Object.values(COLLECTIONS).flat().toSorted());
});
