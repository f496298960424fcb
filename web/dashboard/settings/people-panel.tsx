import type { DashboardSession, Invited, Member, MemberRole, Passkey } from '../../../src/dashboard/wire.ts';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Fields, useValues } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Notice, toast } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { withProof } from '../access/proof.ts';
import { AddPasskey } from '../access/sign-in.tsx';
import { patch, post, remove, session, useLoad, useRole } from '../dashboard-api.ts';
import { momentText } from '../shared/moment.tsx';

const ROLES = [
  ['viewer', 'viewer: sees everything but secrets'],
  ['member', 'member: also changes offers, customers, subscriptions and payments'],
  ['admin', 'admin: also people, API keys, payout wallets, branding and webhooks'],
] as const satisfies readonly (readonly [MemberRole, string])[];

export function PeoplePanel() {
  const isAdmin = useRole('admin');
  const who = useSelector(session, (context) => context.who);
  const loaded = useLoad<{ readonly members: readonly Member[] }>('/members');
  const { shown, show } = useShownOnce();
  const { ask, askFor, dialog } = useQuestion();
  const gotLink = ({ url, member, expiresAt }: Invited) => {
    const until = momentText(expiresAt);
    show(
      { link: url },
      `Send it to ${member.name} only: whoever opens it first is signed in. It works once, until ${until}.`,
    );
    loaded.reload();
  };
  const askForRole = ({ id, name, role }: Member) =>
    askFor({
      title: `The role of ${name}`,
      action: 'Change the role',
      fields: [{ name: 'role', label: 'New role', options: ROLES }],
      first: { role: String(role) },
      run: (body) => withProof(() => patch(`/members/${id}`, body)).then(loaded.reload),
    });
  const askToLink = ({ id, name }: Member) =>
    ask({
      title: `A new link for ${name}`,
      action: 'Make the link',
      text: `It signs ${name} in once. Older links then no longer work.`,
      run: () => withProof(() => post<Invited>(`/members/${id}/invitation`)).then(gotLink),
    });
  const askToRemove = ({ id, name }: Member) =>
    ask({
      title: `Remove ${name}?`,
      action: `Remove ${name}`,
      isDanger: true,
      text: `${name} is signed out everywhere, and cannot sign in again.`,
      run: () => remove(`/members/${id}`).then(loaded.reload),
    });
  const actions = (person: Member) => (
    <span class="row">
      <Button size="small" label={`Change the role of ${person.name}`} onClick={() => askForRole(person)}>
        Role
      </Button>
      <Button size="small" label={`Make a new link for ${person.name}`} onClick={() => askToLink(person)}>
        New link
      </Button>
      <Button size="small" variant="danger" label={`Remove ${person.name}`} onClick={() => askToRemove(person)}>
        Remove
      </Button>
    </span>
  );
  return (
    <Panel title="People">
      <WhenLoaded loaded={loaded}>
        {({ members }) => (
          <Table
            caption="The people of your team"
            rows={members}
            columns={{
              Name: ({ name }) => name,
              Role: ({ role }) => role,
              // One's own passkeys change on the same page.
              'Sign-in': (one) => signInOf(one.id === who?.member.id ? { ...one, passkeys: who.passkeys.length } : one),
              ...(isAdmin && { Actions: actions }),
            }}
          />
        )}
      </WhenLoaded>
      {shown}
      {isAdmin && <InviteForm onInvited={gotLink} />}
      {dialog}
    </Panel>
  );
}

function signInOf({ passkeys, invitedUntil }: Member): string {
  const keys = passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`;
  return invitedUntil === null ? keys : `${keys}, a link until ${momentText(invitedUntil)}`;
}

const FIELDS = [
  { name: 'name', label: 'Name', required: true },
  { name: 'role', label: 'Role', options: ROLES },
] as const;

function InviteForm({ onInvited }: { readonly onInvited: (invited: Invited) => void }) {
  const { values, onChange } = useValues({ name: '', role: 'viewer' });
  const invite = async () => {
    onInvited(await withProof(() => post<Invited>('/members', values)));
    onChange('name', '');
  };
  return (
    <ActionForm action="Make an invitation link" variant="plain" run={invite}>
      <h3>Invite a person</h3>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
    </ActionForm>
  );
}

/** The member's own passkeys, with which they sign in again. */
export function PasskeysPanel() {
  const own = useSelector(session, ({ who }) => who?.passkeys ?? []);
  const { isBusy, problem, act } = useAction();
  const removeOne = (id: Passkey['id']) =>
    void act(async () => {
      session.trigger.opened({ who: await withProof(() => remove<DashboardSession>(`/passkeys/${id}`)) });
      toast('The passkey is removed.', 'good');
    });
  return (
    <Panel title="My passkeys">
      <Table
        caption="Passkeys with which you sign in"
        rows={own}
        empty="You have none. Add one within ten minutes of opening a link; without one you need a new link each time."
        columns={{
          Made: ({ createdAt }) => momentText(createdAt),
          Actions: ({ id, createdAt }) => (
            <Button
              size="small"
              variant="danger"
              label={`Remove the passkey of ${momentText(createdAt)}`}
              busy={isBusy}
              onClick={() => removeOne(id)}
            >
              Remove
            </Button>
          ),
        }}
      />
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <AddPasskey />
    </Panel>
  );
}
