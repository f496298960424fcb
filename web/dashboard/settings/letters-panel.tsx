import type { LetterSettings } from '../../../src/dashboard/wire.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Fields, type FormField, useValues } from '../../ui/fields.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { toast } from '../../ui/toast.tsx';
import { useRole } from '../access/session.ts';
import { patch, useLoad } from '../dashboard-api.ts';

/** Letters of the merchant to its customers. */
export function LettersPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<LetterSettings>('/letter-settings');
  return (
    <Panel title="Letters to customers">
      <p class="soft">
        Customers with an e-mail address get receipts, reminders of charges, a letter when a charge fails or soon would,
        and one when a plan changes, a payment is refunded or a subscription ends. Letters have your name, logo and
        colour, and the language in which the customer has signed.
      </p>
      <WhenLoaded loaded={loaded}>
        {(settings) => {
          if (!settings.hasMailServer) return <p>The operator of this service sends no letters.</p>;
          const sent = SENT.find(([value]) => value === sentOf(settings))?.[1];
          return isAdmin ? <LettersForm settings={settings} /> : <p>Letters are sent {sent}.</p>;
        }}
      </WhenLoaded>
    </Panel>
  );
}

const SENT = [
  ['none', 'to nobody'],
  ['live', 'to live customers'],
  ['live test', 'to live and test customers'],
  ['test', 'to test customers only'],
] as const;

function sentOf({ live, test }: LetterSettings): string {
  return `${live ? 'live ' : ''}${test ? 'test' : ''}`.trim() || 'none';
}

const FIELDS: readonly FormField<'sent' | 'reminderDays' | 'replyTo' | 'language'>[] = [
  { name: 'sent', label: 'Send letters', options: SENT },
  {
    name: 'reminderDays',
    label: 'Reminder',
    options: [
      ['7', '7 days before a charge'],
      ['3', '3 days before a charge'],
      ['1', '1 day before a charge'],
      ['', 'no reminder'],
    ],
  },
  { name: 'replyTo', label: 'Answers go to', hint: 'An address of yours. Empty: to the operator of this service.' },
  {
    name: 'language',
    label: 'Language',
    hint: 'For customers who have not signed at a page. The others get letters in the language of that page.',
    options: Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name] as const),
  },
];

function LettersForm({ settings }: { readonly settings: LetterSettings }) {
  const { replyTo, reminderDays, language } = settings;
  const answers = { replyTo: replyTo ?? '', language: language ?? 'en' };
  const first = { sent: sentOf(settings), reminderDays: String(reminderDays ?? ''), ...answers };
  const { values, onChange } = useValues(first);
  const save = async () => {
    await patch<LetterSettings>('/letter-settings', {
      live: values.sent.includes('live'),
      test: values.sent.includes('test'),
      replyTo: values.replyTo.trim() || null,
      reminderDays: Number(values.reminderDays) || null,
      language: values.language,
    });
    toast('The letters are saved.', 'good');
  };
  return (
    <ActionForm action="Save the letters" run={save}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
    </ActionForm>
  );
}
