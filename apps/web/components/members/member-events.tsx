import { type OutputOf, renamed, wholeName } from '@bailiff/core';
import { LogIn, LogOut, PencilLine } from 'lucide-react';
import { Timeline, TimelineEntry } from '#components/ui/timeline.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';

type Event = OutputOf<'members.events'>['data'][number];

/** When a person joined and left, and their earlier names. */
export async function MemberEvents({ events }: { events: readonly Event[] }) {
  const t = await messagesFor('members');
  return (
    <Timeline>
      {events.map((event) => {
        const key = `${event.at}/${event.kind}`;
        if (event.kind === 'left')
          return <TimelineEntry key={key} icon={<LogOut size={14} />} title={t('hasLeft')} at={event.at} />;
        if (event.kind === 'renamed') {
          const { from, to } = renamed(event);
          return (
            <TimelineEntry key={key} icon={<PencilLine size={14} />} title={t('renamed')} at={event.at}>
              <Written text={t('renamedTo', { from: from ?? '', to: to ?? '' })} />
            </TimelineEntry>
          );
        }
        return (
          <TimelineEntry key={key} icon={<LogIn size={14} />} title={t('hasJoined')} at={event.at}>
            <Written text={t('joinedAs', { name: wholeName(event) ?? '' })} />
            {event.missed_leave ? <p>{t('missedLeave')}</p> : null}
          </TimelineEntry>
        );
      })}
    </Timeline>
  );
}
