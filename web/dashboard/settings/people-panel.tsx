import { useState } from 'preact/hooks';
import type { Invited, Member, MemberRole } from '../../../src/dashboard/wire.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { useRole } from '../access/use-role.ts';
import { dashboardApi, useLoad } from '../dashboard-api.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { momentText } from '../shared/moment-text.ts';
import { Panel } from '../shared/panel.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';

const ROLES = [
  ['viewer', 'viewer: sees everything'],
  ['member', 'member: also sells and refunds'],
  ['admin', 'admin: also keys, wallets, webhooks and people'],
] as const satisfies readonly (readonly [MemberRole, string])[];

interface Asked {
  readonly what: 'role' | 'link' | 'remove';
  readonly person: Member;
}

/** The people of the merchant, and their links. */
export function PeoplePanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<{ readonly members: readonly Member[] }>('/members');
  const [invited, setInvited] = useState<Invited | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const gotLink = (answer: Invited) => {
    setInvited(answer);
    loaded.reload();
  };
  return (
    <Panel title="People">
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {loaded.value !== null && (
        <Table
          caption="The people of your team"
          rows={loaded.value.members}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Role', cell: ({ role }) => role },
            { title: 'Sign-in', cell: signInOf },
            ...(isAdmin
              ? [{ title: 'Actions', cell: (person: Member) => <PersonActions person={person} onAsk={setAsked} /> }]
              : []),
          ]}
        />
      )}
      {invited !== null && (
        <ShownOnce
          what="link"
          text={invited.url}
          warning={`Send it to ${invited.member.name} only: whoever opens it first is signed in. It works once, until ${momentText(invited.expiresAt)}.`}
          onStored={() => setInvited(null)}
        />
      )}
      {isAdmin && <InviteForm onInvited={gotLink} />}
      {asked !== null && (
        <PersonDialog asked={asked} onLink={gotLink} onChanged={loaded.reload} onClose={() => setAsked(null)} />
      )}
    </Panel>
  );
}

function signInOf({ passkeys, invitedUntil }: Member): string {
  const keys = passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`;
  return invitedUntil === null ? keys : `${keys}, a link until ${momentText(invitedUntil)}`;
}

interface PersonActionsProps {
  readonly person: Member;
  readonly onAsk: (asked: Asked) => void;
}

function PersonActions({ person, onAsk }: PersonActionsProps) {
  const { name } = person;
  return (
    <span class="row">
      <Button size="small" label={`Change the role of ${name}`} onClick={() => onAsk({ what: 'role', person })}>
        Role
      </Button>
      <Button size="small" label={`Make a new link for ${name}`} onClick={() => onAsk({ what: 'link', person })}>
        New link
      </Button>
      <Button size="small" variant="danger" label={`Remove ${name}`} onClick={() => onAsk({ what: 'remove', person })}>
        Remove
      </Button>
    </span>
  );
}

function InviteForm({ onInvited }: { readonly onInvited: (invited: Invited) => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('viewer');
  const invite = async () => {
    onInvited(await dashboardApi<Invited>('/members', { method: 'POST', body: { name, role } }));
    setName('');
  };
  return (
    <ActionForm action="Make an invitation link" variant="plain" run={invite}>
      <h3>Invite a person</h3>
      <Field label="Name" required value={name} onInput={setName} />
      <Select label="Role" value={role} onChange={setRole} options={ROLES} />
    </ActionForm>
  );
}

interface PersonDialogProps {
  readonly asked: Asked;
  readonly onLink: (invited: Invited) => void;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function PersonDialog({ asked: { what, person }, onLink, onChanged, onClose }: PersonDialogProps) {
  const { id, name } = person;
  const [role, setRole] = useState<string>(person.role);
  const path = `/members/${id}` as const;
  switch (what) {
    case 'role': {
      const run = () => dashboardApi<Member>(path, { method: 'PATCH', body: { role } }).then(onChanged);
      return (
        <ActionDialog title={`The role of ${name}`} action="Change the role" run={run} onClose={onClose}>
          <Select label="New role" value={role} onChange={setRole} options={ROLES} />
        </ActionDialog>
      );
    }
    case 'link': {
      const run = () => dashboardApi<Invited>(`${path}/invitation`, { method: 'POST', body: {} }).then(onLink);
      return (
        <ActionDialog title={`A new link for ${name}`} action="Make the link" run={run} onClose={onClose}>
          <p>It signs {name} in once. A link from before is of no use then.</p>
        </ActionDialog>
      );
    }
    case 'remove': {
      const run = () => dashboardApi<Member>(path, { method: 'DELETE' }).then(onChanged);
      return (
        <ActionDialog title={`Remove ${name}?`} action={`Remove ${name}`} isDanger run={run} onClose={onClose}>
          <p>{name} is signed out everywhere, and cannot sign in again.</p>
        </ActionDialog>
      );
    }
  }
}
