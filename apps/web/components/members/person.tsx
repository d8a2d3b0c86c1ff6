import { Link } from '#components/ui/link.tsx';
import type { People } from '#src/people.ts';

/**
 * A person's name, or the id if the name is unknown. It links to their record if the reader may open it. A name cannot
 * change the direction of what stands beside it.
 */
export function Person({ id, people: { guildId, names, linked } }: { id: string; people: People }) {
  const name =
    names[id] === undefined ? <span className="font-mono text-xs">{id}</span> : <bdi>{names[id]}</bdi>;
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
