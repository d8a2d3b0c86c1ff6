import type { CommandPolicy, Game, ServerTemplates } from '@bailiff/core';
import type { GameServer, Prisma } from '@bailiff/prisma';

/** A game server as its owner sees it. The password is in no view, not even sealed. */
export interface ServerView {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly policy: CommandPolicy;
  readonly game: Game;
  readonly templates: ServerTemplates;
  readonly createdAt: Date;
  /** When the bot last connected to it, or tried to. Null before the first time. */
  readonly checkedAt: Date | null;
  readonly reachable: boolean | null;
  /** Why it was not reached. Only for the owner. */
  readonly problem: string | null;
}

/** The columns of a view. */
export const SERVER = {
  id: true,
  guildId: true,
  name: true,
  host: true,
  port: true,
  allowPatterns: true,
  denyPatterns: true,
  game: true,
  kickTemplate: true,
  banTemplate: true,
  unbanTemplate: true,
  announceTemplate: true,
  createdAt: true,
  checkedAt: true,
  reachable: true,
  problem: true,
} as const satisfies Prisma.GameServerSelect;

/** A stored game server as a view. */
export function viewOf({
  allowPatterns,
  denyPatterns,
  kickTemplate: kick,
  banTemplate: ban,
  unbanTemplate: unban,
  announceTemplate: announce,
  ...server
}: Pick<GameServer, keyof typeof SERVER>): ServerView {
  const policy = { allow: allowPatterns, deny: denyPatterns };
  return { ...server, policy, templates: { kick, ban, unban, announce } };
}

/** Compares by name as people sort it. A guild has so few servers that they are sorted here. */
export function byName(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return a.name.toLowerCase().localeCompare(b.name.toLowerCase()) || a.id.localeCompare(b.id);
}

/** A game server as the dashboard's wire has it. */
export function serverWire(server: ServerView) {
  return {
    id: server.id,
    guild_id: server.guildId,
    name: server.name,
    host: server.host,
    port: server.port,
    allow_patterns: server.policy.allow,
    deny_patterns: server.policy.deny,
    game: server.game,
    templates: server.templates,
    created_at: server.createdAt.toISOString(),
    checked_at: server.checkedAt?.toISOString() ?? null,
    reachable: server.reachable,
    problem: server.problem,
  };
}

export type ServerWire = ReturnType<typeof serverWire>;
