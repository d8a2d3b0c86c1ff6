import type { AuditEntry } from '@bailiff/engine';
import { wordsOf } from '../src/words.ts';
import { Badge } from './ui/badge.tsx';
import { RelativeTime } from './ui/relative-time.tsx';
import { Cell, HeaderCell, Table } from './ui/table.tsx';

const TONES = {
  requested: 'waiting',
  performed: 'good',
  failed: 'bad',
  unknown: 'warn',
  cancelled: 'off',
  refused: 'bad',
} as const;

const SOURCES: Readonly<Record<AuditEntry['actorSource'], string>> = {
  token: 'token',
  chat: 'in chat',
  dashboard: 'in the dashboard',
  system: 'Bailiff itself',
  operator: 'the operator',
};

/** Rows of the audit log. `names` gives people's names by id where they are known. */
export function AuditTable({
  caption,
  entries,
  names,
}: {
  caption: string;
  entries: readonly AuditEntry[];
  names: Readonly<Record<string, string>>;
}) {
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          <HeaderCell>When</HeaderCell>
          <HeaderCell>Who</HeaderCell>
          <HeaderCell>What</HeaderCell>
          <HeaderCell>Target</HeaderCell>
          <HeaderCell>Outcome</HeaderCell>
          <HeaderCell>From</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <Cell className="text-ink-soft">
              <RelativeTime iso={entry.at.toISOString()} />
            </Cell>
            <Cell>
              <Actor entry={entry} names={names} />
            </Cell>
            <Cell>
              {wordsOf(entry.operation)}
              <span className="text-ink-soft block font-mono text-xs">{entry.operation}</span>
            </Cell>
            <Cell>{entry.targetId === null ? null : <TargetName entry={entry} names={names} />}</Cell>
            <Cell>
              <Badge tone={TONES[entry.outcome]}>{entry.outcome}</Badge>
              {entry.code === null ? null : (
                <span className="text-ink-soft mt-1 block font-mono text-xs">{entry.code}</span>
              )}
            </Cell>
            <Cell className="text-ink-soft font-mono text-xs">
              {entry.address}
              {entry.requestId === null ? null : (
                <span className="block" title={`Request ${entry.requestId}`}>
                  {entry.requestId.slice(0, 12)}…
                </span>
              )}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Actor({ entry, names }: { entry: AuditEntry; names: Readonly<Record<string, string>> }) {
  const person = entry.actorUserId === null ? null : (names[entry.actorUserId] ?? entry.actorUserId);
  if (entry.actorSource === 'token') {
    return (
      <>
        {entry.tokenName}
        <span className="text-ink-soft block text-xs">token of {person}</span>
      </>
    );
  }
  return (
    <>
      {person ?? SOURCES[entry.actorSource]}
      {person === null ? null : (
        <span className="text-ink-soft block text-xs">{SOURCES[entry.actorSource]}</span>
      )}
    </>
  );
}

function TargetName({ entry, names }: { entry: AuditEntry; names: Readonly<Record<string, string>> }) {
  const { targetId, targetType } = entry;
  const name = targetType === 'token' ? entry.tokenName : targetId === null ? null : names[targetId];
  return (
    <>
      {name ?? <span className="font-mono text-xs">{targetId}</span>}
      <span className="text-ink-soft block text-xs">{targetType}</span>
    </>
  );
}

/** The ids of people that rows name. */
export function peopleIn(entries: readonly AuditEntry[]): string[] {
  return entries.flatMap(({ actorUserId, targetType, targetId }) => [
    ...(actorUserId === null ? [] : [actorUserId]),
    ...(targetType === 'user' && targetId !== null ? [targetId] : []),
  ]);
}
