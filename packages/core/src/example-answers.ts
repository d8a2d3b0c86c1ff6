import { TIERS } from './budgets.ts';
import { CAPABILITIES } from './capabilities.ts';
import { EXAMPLE_IDS, exampleId } from './examples.ts';
import type { OutputOf, RestOperation } from './operations/index.ts';
import type { Tier } from './operations/operation.ts';

const ISSUED_AT = '2026-01-31T12:00:00.000Z';
const LATER = '2026-01-31T18:30:00.000Z';
const { user: USER, issuer: ISSUER } = EXAMPLE_IDS;

const STRIKE: OutputOf<'strikes.get'> = {
  id: exampleId('strike'),
  case_number: 41,
  user_id: USER,
  player_name: 'Blockbreaker',
  in_game_id: null,
  severity: 'minor',
  category: 'griefing',
  reason: 'Griefing in the market square',
  issued_by: ISSUER,
  issued_at: ISSUED_AT,
  removed_by: null,
  removed_at: null,
  active: true,
};

const BAN: OutputOf<'bans.get'> = {
  id: exampleId('ban'),
  case_number: 42,
  user_id: USER,
  reason: 'Spam after two strikes',
  permanent: false,
  issued_by: ISSUER,
  issued_at: ISSUED_AT,
  expires_at: '2026-02-07T12:00:00.000Z',
  lifted_by: null,
  lifted_at: null,
  active: true,
};

const MUTE: OutputOf<'mutes.add'>['mute'] = {
  id: exampleId('mute'),
  case_number: 43,
  user_id: USER,
  reason: 'Insults in general',
  permanent: false,
  issued_by: ISSUER,
  issued_at: ISSUED_AT,
  expires_at: '2026-02-02T12:00:00.000Z',
  lifted_by: null,
  lifted_at: null,
  active: true,
  duration_minutes: 2880,
};

const TICKET: OutputOf<'tickets.get'> = {
  id: exampleId('ticket'),
  number: 7,
  subject: 'My house was griefed',
  status: 'open',
  opened_by: USER,
  channel_id: EXAMPLE_IDS.channel,
  opened_at: ISSUED_AT,
  claimed_by: null,
  claimed_at: null,
  closed_by: null,
  closed_at: null,
  close_reason: null,
};

const LIFTED = { lifted_by: ISSUER, lifted_at: LATER, active: false };

/** The body of each operation's successful answer, as to the call of `exampleCall`. */
export const EXAMPLE_ANSWERS: { readonly [N in RestOperation]: OutputOf<N> } = {
  me: {
    token: {
      id: exampleId('token'),
      name: 'Nightly script',
      kind: 'rest',
      created_at: ISSUED_AT,
      rotated_at: null,
      expires_at: '2026-05-01T12:00:00.000Z',
    },
    issuer: { user_id: ISSUER, username: 'olivia' },
    guild: { id: EXAMPLE_IDS.guild, name: 'Market Square', tier: 'pro' },
    snapshot: [...CAPABILITIES],
    effective_capabilities: ['strikes.read', 'strikes.write', 'bans.read', 'bans.write'],
    window: { open: true, window: { window_id: exampleId('window'), expires_at: LATER } },
    budgets: { token: budget(1), user: budget(2) },
  },
  'strikes.list': { data: [STRIKE], next_cursor: null },
  'strikes.get': STRIKE,
  'strikes.add': {
    strike: STRIKE,
    strike_id: STRIKE.id,
    user_id: STRIKE.user_id,
    severity: STRIKE.severity,
    issued_by: STRIKE.issued_by,
    issued_at: STRIKE.issued_at,
  },
  'strikes.remove': { strike: { ...STRIKE, removed_by: ISSUER, removed_at: LATER, active: false } },
  'bans.list': { data: [BAN], next_cursor: null },
  'bans.get': BAN,
  'bans.add': { ban: BAN },
  'bans.lift': { ban: { ...BAN, ...LIFTED } },
  'mutes.list': { data: [MUTE], next_cursor: null },
  'mutes.add': { mute: MUTE },
  'mutes.lift': { mute: { ...MUTE, ...LIFTED } },
  'tickets.list': { data: [TICKET], next_cursor: null },
  'tickets.get': TICKET,
  'tickets.claim': { ticket: { ...TICKET, status: 'claimed', claimed_by: ISSUER, claimed_at: LATER } },
  'tickets.unclaim': { ticket: TICKET },
  'messages.purge': {
    purge: {
      requested: 50,
      deleted: 48,
      skipped_pinned: 1,
      skipped_too_old: 1,
      archive_id: exampleId('archive'),
    },
  },
  'servers.list': {
    data: [
      {
        id: exampleId('server'),
        name: 'Survival',
        host: 'survival.example',
        port: 25_575,
        reachable: true,
        checked_at: ISSUED_AT,
      },
    ],
    next_cursor: null,
  },
  'servers.rcon': {
    run: {
      id: exampleId('run'),
      server_id: exampleId('server'),
      output: '[Server] The server restarts in five minutes',
      truncated: false,
      duration_ms: 18,
    },
  },
  'rules.get': {
    escalation: {
      minor_points: 1,
      major_points: 3,
      decay_days: 90,
      steps: [
        { points: 3, sanction: 'mute', duration_minutes: 1440 },
        { points: 6, sanction: 'ban', duration_minutes: null },
      ],
    },
    presets: [
      {
        kind: 'strike',
        name: 'Griefing',
        reason: 'Destroyed what others built',
        severity: 'major',
        duration_minutes: null,
      },
    ],
  },
  'members.get': {
    user_id: USER,
    username: 'blockbreaker',
    display_name: 'Blockbreaker',
    in_guild: true,
    role_ids: [EXAMPLE_IDS.role],
    joined_at: '2025-06-01T09:15:00.000Z',
    counts: { strikes: 2, bans: 1, mutes: 1, tickets: 1 },
  },
  'audit.list': {
    data: [
      {
        id: exampleId('audit'),
        at: ISSUED_AT,
        actor_source: 'token',
        actor_user_id: ISSUER,
        token_id: exampleId('token'),
        token_name: 'Nightly script',
        action: 'bans.add',
        target_type: 'user',
        target_id: USER,
        outcome: 'performed',
        code: null,
        request_id: 'req_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c',
        address: '203.0.113.7',
        digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        action_id: exampleId('action'),
      },
    ],
    next_cursor: null,
  },
  'actions.get': {
    action: {
      id: exampleId('action'),
      operation: 'bans.add',
      state: 'done',
      outcome: 'performed',
      result: { ban: BAN },
    },
  },
};

function budget(spentReads: number) {
  const of = (tier: Tier, spent: number) => ({
    capacity: TIERS[tier].capacity,
    remaining: TIERS[tier].capacity - spent,
    refill_per_minute: TIERS[tier].refillPerMinute,
  });
  return {
    read: of('read', spentReads),
    reversible_write: of('reversible_write', 0),
    destructive_write: of('destructive_write', 1),
  };
}
