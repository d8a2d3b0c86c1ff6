import type { AppealState } from '@bailiff/core';
import { listOwnCases } from '@bailiff/engine/appeals/own-appeals';
import type { Metadata } from 'next';
import { STATE_TONES, shownState } from '#components/appeals/appeal-labels.ts';
import { kindName } from '#components/cases/case-labels.ts';
import { TopBar } from '#components/top-bar.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Link } from '#components/ui/link.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { messagesFor } from '#src/messages.ts';
import { requireSession } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await messagesFor('appeals'))('own.title') };
}

/** What the reader can appeal or has appealed, in all guilds. They need to be in none. */
export default async function OwnAppealsPage() {
  const session = await requireSession();
  const [t, say] = await Promise.all([messagesFor('appeals'), messagesFor('operations')]);
  const cases = await listOwnCases(runtime().db, session.userId);
  return (
    <>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-2xl px-4 py-8">
        <PageHeader title={t('own.title')}>{t('own.lead', { name: session.name })}</PageHeader>
        <Panel>
          {cases.length === 0 ? (
            <EmptyState title={t('own.none')}>{t('own.noneHint')}</EmptyState>
          ) : (
            <ul className="divide-line divide-y">
              {cases.map(({ case_id, guild_name, kind, issued_at, active, decided_at, state }) => (
                <li key={case_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
                  <div className="min-w-0 flex-1 basis-52">
                    <Link
                      href={`/appeal/${case_id}`}
                      className="text-accent font-medium wrap-anywhere underline"
                    >
                      {t('own.heading', { kind: say(kindName(kind)), guild: guild_name })}
                    </Link>
                    <p className="text-ink-soft text-xs">
                      <RelativeTime iso={issued_at.toISOString()} />
                    </p>
                  </div>
                  {state === null ? null : <State of={shownState({ active, decided_at, state })} />}
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </main>
    </>
  );
}

async function State({ of: state }: { of: AppealState }) {
  const t = await messagesFor('appeals');
  return <Badge tone={STATE_TONES[state]}>{t(`own.state.${state}`)}</Badge>;
}
