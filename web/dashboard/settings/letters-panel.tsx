import type { LetterSettings } from '../../../src/dashboard/wire.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { ActionForm, Fields, type FormField, useValues } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { toast } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { patch, session, useLoad, useRole } from '../dashboard-api.ts';
import { OwnLetters } from '../letters/own-letters.tsx';
import { MODES } from '../route.ts';

/** Summaries are of live mode, whatever the page shows. */
const LIVE = MODES.filter((mode) => mode === 'live');

/** Letters of the merchant to its customers, and its weekly summaries. */
export function LettersPanel() {
  const isAdmin = useRole('admin');
  const merchantId = useSelector(session, ({ who }) => who?.merchant.id ?? '');
  const loaded = useLoad<LetterSettings>('/letter-settings');
  return (
    <>
      <Panel title="Letters">
        <p class="soft">
          Customers with an e-mail address get receipts, reminders of charges, a letter when a charge fails or soon
          would, and one when a plan changes, a payment is refunded or a subscription ends. Letters have your name, logo
          and colour, and the language in which the customer has signed. Whoever you name gets a summary on Monday.
        </p>
        <WhenLoaded loaded={loaded}>
          {(settings) => {
            if (!settings.hasMailServer) return <p>The operator of this service sends no letters.</p>;
            if (isAdmin) return <LettersForm settings={settings} reload={loaded.reload} />;
            const sent = SENT.find(([value]) => value === sentOf(settings))?.[1];
            return <p>{`Letters are sent ${sent}. The weekly summary goes to ${settings.summaryTo ?? 'nobody'}.`}</p>;
          }}
        </WhenLoaded>
      </Panel>
      {loaded.value?.summaryTo &&
        LIVE.map((mode) => <OwnLetters key={mode} mode={mode} about={merchantId} title="Weekly summaries" />)}
    </>
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

const FIELDS: readonly FormField<'sent' | 'reminderDays' | 'replyTo' | 'language' | 'summaryTo'>[] = [
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
    hint: 'For customers who have not signed at a page, and for your summary. The others get the language of that page.',
    options: Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name] as const),
  },
  {
    name: 'summaryTo',
    label: 'Weekly summary goes to',
    type: 'email',
    hint: 'An address of yours, each Monday at 8:00 in your time zone. Empty: to nobody.',
  },
];

function LettersForm({ settings, reload }: { readonly settings: LetterSettings; readonly reload: () => void }) {
  const { replyTo, reminderDays, language, summaryTo } = settings;
  const answers = { replyTo: replyTo ?? '', language: language ?? 'en' };
  const to = { reminderDays: String(reminderDays ?? ''), summaryTo: summaryTo ?? '' };
  const first = { sent: sentOf(settings), ...to, ...answers };
  const { values, onChange } = useValues(first);
  const save = async () => {
    await patch<LetterSettings>('/letter-settings', {
      live: values.sent.includes('live'),
      test: values.sent.includes('test'),
      replyTo: values.replyTo.trim() || null,
      reminderDays: Number(values.reminderDays) || null,
      language: values.language,
      summaryTo: values.summaryTo.trim() || null,
    });
    reload();
    toast('The letters are saved.', 'good');
  };
  return (
    <ActionForm action="Save the letters" run={save}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
    </ActionForm>
  );
}
