import Link from 'next/link';
import type { People } from '#src/people.ts';

/** Somebody by name where it is known, else by id; a way to their record for who may read it. */
export function Person({ id, people: { guildId, names, linked } }: { id: string; people: People }) {
  const name = names[id] ?? <span className="font-mono text-xs">{id}</span>;
  if (!linked) return <span title={id}>{name}</span>;
  return (
    <Link
      href={`/guilds/${guildId}/members/${id}`}
      title={id}
      className="text-accent underline decoration-accent/40 underline-offset-2 wrap-anywhere"
    >
      {name}
    </Link>
  );
}
