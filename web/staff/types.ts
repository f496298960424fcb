/** The answers of the staff API, as far as the console shows them. Moments are ISO 8601, amounts decimal strings. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonMap = { readonly [key: string]: Json };

export type ActorKind = 'subscription' | 'payment' | 'delivery';

export interface Session {
  readonly by: string;
  readonly role: 'read' | 'act';
}

export interface SearchResult {
  readonly kind: ActorKind | 'customer' | 'offer' | 'merchant' | 'wallet';
  readonly id: string;
  readonly isInspectable: boolean;
  readonly title: string;
  readonly status: string | null;
  readonly mode: 'test' | 'live' | null;
  readonly merchantId: string;
  readonly why: string;
  readonly createdAt: string;
}

export interface TroubleItem {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly since: string | null;
}

export interface TroubleSection {
  readonly name: string;
  readonly title: string;
  readonly count: number;
  readonly isCapped: boolean;
  readonly items: readonly TroubleItem[];
}

export interface Chart {
  readonly range: 'day' | 'week';
  readonly barMs: number;
  readonly bars: readonly { readonly from: string; readonly settled: number; readonly failed: number }[];
}

export interface Trouble {
  readonly at: string;
  readonly sections: readonly TroubleSection[];
  readonly charges: Chart;
}

export interface DiagramState {
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly description: string | null;
  readonly isInitial: boolean;
}

export interface DiagramEdge {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly { readonly event: string; readonly guard: string | null }[];
}

export interface Diagram {
  readonly kind: string;
  readonly version: number;
  readonly states: readonly DiagramState[];
  readonly edges: readonly DiagramEdge[];
}

export interface EventVerdict {
  readonly type: string;
  readonly by: string;
  readonly assuming: string | null;
  readonly verdict: 'changes' | 'acknowledges' | 'refuses';
  readonly to: string | null;
  readonly effects: readonly string[];
  readonly why: string | null;
  readonly refusedBy: readonly string[];
}

export interface JournalEntry {
  readonly rev: number;
  readonly at: string;
  readonly type: string;
  readonly details: JsonMap;
  readonly by: string;
  readonly reason: string | null;
  readonly sender: string | null;
  readonly from: string;
  readonly to: string;
  readonly effects: readonly JsonMap[];
}

export interface SnapshotChange {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

export interface Step extends JournalEntry {
  readonly state: { readonly value: Json; readonly path: string; readonly context: JsonMap } | null;
  readonly changes: readonly SnapshotChange[];
}

export interface Steps {
  readonly id: string;
  readonly total: number;
  readonly from: number;
  readonly steps: readonly Step[];
  readonly problem: string | null;
}

export interface Action {
  readonly name: string;
  readonly label: string;
  readonly path: string;
  readonly body: { readonly [name: string]: boolean };
  readonly what: string;
  readonly isAllowed: boolean;
  readonly why: string | null;
}

export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly token: string;
  readonly subscriptionId: string | null;
  readonly cycle: number | null;
  readonly period: string;
  readonly failureReason: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: number;
  readonly createdAt: string;
}

export interface Charge {
  readonly id: string;
  readonly attempt: number;
  readonly paymentId: string;
  readonly state: string;
  readonly chain: string;
  readonly token: string;
  readonly amount: string;
  readonly from: string;
  readonly shares: readonly { readonly role: string; readonly to: string; readonly amount: string }[];
  readonly txHash: string | null;
  readonly block: number | null;
  readonly confirmations: number | null;
  readonly explorer: string | null;
  readonly reason: string | null;
  readonly note: string | null;
  readonly updatedAt: string;
}

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly status: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly startedAt: string;
    readonly durationMs: number;
    readonly status: number | null;
    readonly error: string | null;
    readonly body: string | null;
  }[];
  readonly body: string;
}

export interface Deposit {
  readonly id: string;
  readonly unit: string;
  readonly txHash: string | null;
  readonly from: string | null;
  readonly amount: string;
  readonly charged: string;
  readonly refunded: string;
  readonly left: string;
  readonly fate: string;
  readonly held: string | null;
}

export interface Inspection {
  readonly kind: ActorKind;
  readonly id: string;
  readonly title: string;
  readonly spellings: readonly string[];
  readonly merchant: { readonly id: string; readonly name: string; readonly status: string };
  readonly mode: 'test' | 'live';
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly now: string;
  readonly clockOffsetMs: number;
  readonly rev: number;
  readonly path: readonly { readonly id: string; readonly description: string | null }[];
  readonly waits: { readonly what: string; readonly until: string | null } | null;
  readonly events: readonly EventVerdict[];
  readonly actions: readonly Action[];
  readonly stored: JsonMap;
  readonly quarantine: { readonly at: string; readonly reason: string } | null;
  readonly unsound: string | null;
  readonly journal: readonly JournalEntry[];
  readonly replay: { readonly matches: boolean; readonly problem: string | null } | null;
  readonly answers: readonly { readonly name: string; readonly question: string; readonly answer: string }[];
  readonly notes: readonly { readonly name: string; readonly text: string }[];
  readonly related: readonly { readonly kind: string; readonly id: string; readonly label: string }[];
  readonly payments: readonly Payment[];
  readonly charges: readonly Charge[];
  readonly deliveries: readonly Delivery[];
  readonly deposits: readonly Deposit[];
}

export interface WhatIf {
  readonly from: string;
  readonly until: string;
  readonly steps: readonly {
    readonly at: string;
    readonly event: string;
    readonly from: string;
    readonly to: string;
    readonly webhooks: readonly string[];
    readonly effects: readonly string[];
    readonly changes: readonly SnapshotChange[];
  }[];
  readonly end: {
    readonly status: string;
    readonly state: string;
    readonly now: string;
    readonly context: JsonMap;
    readonly waits: { readonly what: string; readonly until: string | null };
  };
  readonly changes: readonly SnapshotChange[];
  readonly stopped: string | null;
}
