import { MOST_ANSWER_CHARACTERS } from '@bailiff/core';
import { type OwnCase, ownCase } from '@bailiff/engine/appeals/own-appeals';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { Answers } from '#components/appeals/answers.tsx';
import { AppealForm } from '#components/appeals/appeal-form.tsx';
import { STATE_TONES, shownState } from '#components/appeals/appeal-labels.ts';
import { kindName } from '#components/cases/case-labels.ts';
import { Messages } from '#components/messages.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Link } from '#components/ui/link.tsx';
import { Callout, Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';
import { requireSession } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await messagesFor('appeals'))('own.title') };
}

/**
 * A case of the reader's own: the form to appeal it, or what became of their appeal. The address only names the case;
 * for everybody else this page does not exist.
 */
export default async function OwnAppealPage({ params }: { params: Promise<{ named: string }> }) {
  const session = await requireSession();
  const { named } = await params;
  const own = await ownCase(runtime().db, session.userId, named);
  if (own === null) notFound();
  const [t, say] = await Promise.all([messagesFor('appeals'), messagesFor('operations')]);
  return (
    <Messages namespaces={['appeals']}>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-2xl px-4 py-8">
        <PageHeader title={t('own.heading', { kind: say(kindName(own.kind)), guild: own.guild_name })}>
          <Link href="/appeal" className="text-accent underline">
            {t('own.all')}
          </Link>
        </PageHeader>
        <Panel className="mb-7 p-4">
          <Facts>
            <Fact name={t('own.reason')}>
              {own.reason === null ? t('own.noReason') : <Written text={own.reason} />}
            </Fact>
            <Fact name={t('own.since')}>
              <RelativeTime iso={own.issued_at.toISOString()} />
            </Fact>
            {own.active ? (
              <Fact name={t('own.ends')}>
                {own.expires_at === null ? (
                  t('own.never')
                ) : (
                  <RelativeTime iso={own.expires_at.toISOString()} />
                )}
              </Fact>
            ) : null}
          </Facts>
        </Panel>
        {own.state === null ? <Open own={own} /> : <Sent own={own} state={own.state} />}
      </main>
    </Messages>
  );
}

async function Open({ own }: { own: OwnCase }) {
  const t = await messagesFor('appeals');
  const { waits_until: until } = own;
  if (until !== null && until > new Date()) {
    return (
      <Callout>
        {t('own.waits', { guild: own.guild_name })} <RelativeTime iso={until.toISOString()} />
      </Callout>
    );
  }
  return (
    <Section title={t('own.form')} lead={t('own.once', { guild: own.guild_name })}>
      <Panel className="grid gap-4 p-4">
        {own.introduction === '' ? null : (
          <p className="whitespace-pre-wrap wrap-anywhere">
            <Written text={own.introduction} />
          </p>
        )}
        <AppealForm caseId={own.case_id} questions={own.questions} mostCharacters={MOST_ANSWER_CHARACTERS} />
      </Panel>
    </Section>
  );
}

async function Sent({ own, state }: { own: OwnCase; state: NonNullable<OwnCase['state']> }) {
  const t = await messagesFor('appeals');
  const shown = shownState({ ...own, state });
  return (
    <>
      <Section title={t('own.form')}>
        <Panel className="grid gap-2 p-4">
          <p>
            <Badge tone={STATE_TONES[shown]}>{t(`own.state.${shown}`)}</Badge>
          </p>
          <p>{t(`own.means.${shown}`, { guild: own.guild_name })}</p>
          {own.reply === null ? null : (
            <Answers answers={[{ question: t('own.reply', { guild: own.guild_name }), answer: own.reply }]} />
          )}
        </Panel>
      </Section>
      <Section title={t('own.written')}>
        <Panel className="p-4">
          <Answers answers={own.answers ?? []} />
        </Panel>
      </Section>
    </>
  );
}
