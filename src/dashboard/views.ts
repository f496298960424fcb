import type { MemberSession } from '../billing/members/sessions.ts';
import type { TokenWallet } from '../billing/payout/wallet-changes.ts';
import { momentOrNull } from '../http/schemas.ts';
import { keyView as staffKeyView } from '../staff/views.ts';
import type { ApiKeyDoc, MemberDoc } from '../store/collections.ts';
import type * as wire from './wire.ts';

export function sessionView({ member, merchant, expiresAt, provenUntil }: MemberSession): wire.DashboardSession {
  const { _id: id, name, role, passkeys } = member;
  return {
    member: { id, name, role },
    merchant: { id: merchant._id, name: merchant.name, status: merchant.status },
    passkeys: passkeys.map((passkey) => ({ id: passkey.id, createdAt: passkey.createdAt.toISOString() })),
    expiresAt: expiresAt.toISOString(),
    provenUntil: provenUntil.toISOString(),
  };
}

export function memberView({ _id: id, name, role, invitation, passkeys, createdAt }: MemberDoc): wire.Member {
  const invitedUntil = momentOrNull(invitation?.expiresAt ?? null);
  return { id, name, role, invitedUntil, passkeys: passkeys.length, createdAt: createdAt.toISOString() };
}

export function keyView(key: ApiKeyDoc): wire.Key {
  return { ...staffKeyView(key), lastUsedAt: momentOrNull(key.lastUsedAt ?? null) };
}

export function walletView({ _id: id, mode, tokenKey, chainId, receiverWallet }: TokenWallet): wire.SetWallet {
  return { id, mode, tokenKey, chainId, receiverWallet };
}
