import { type SessionView, sessionsOf } from '@bailiff/engine/desk/sessions';
import type { Translator } from '@bailiff/messages';
import type { Metadata } from 'next';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { KeptFocus } from '#components/kept-focus.tsx';
import { Messages } from '#components/messages.tsx';
import { EndAllSessions, EndSession } from '#components/sessions/end-session.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import { browserName } from '#src/browser-name.ts';
import { messagesFor } from '#src/messages.ts';
import { requireSession } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await messagesFor('session'))('own.title') };
}

/** The browsers in which the person is signed in (decisions: Sessions in the browser). */
export default async function SessionsPage() {
  const session = await requireSession();
  const t = await messagesFor('session');
  const sessions: SessionView[] = [];
  for await (const each of sessionsOf(runtime().db, session.userId)) sessions.push(each);
  sessions.sort((one, other) => other.signedInAt.getTime() - one.signedInAt.getTime());
  return (
    <>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-4xl px-4 py-8">
        <Messages>
          <PageHeader title={t('own.title')} actions={<EndAllSessions />}>
            {t('own.lead')} <GuideLink topic="sessions" />
          </PageHeader>
          <Panel>
            <Table caption={t('own.caption')} cards>
              <TableHead
                columns={[t('own.browser'), t('own.address'), t('own.signedIn'), t('own.lastUsed')]}
                buttons={t('own.actions')}
              />
              <tbody>
                {sessions.map((each) => (
                  <SessionRow key={each.id} session={each} isThis={each.id === session.id} t={t} />
                ))}
              </tbody>
            </Table>
          </Panel>
        </Messages>
      </main>
      <KeptFocus />
    </>
  );
}

function SessionRow({
  session,
  isThis,
  t,
}: {
  session: SessionView;
  isThis: boolean;
  t: Translator<'session'>;
}) {
  const { browser, system } = browserName(session.browser);
  const name =
    browser !== null && system !== null
      ? t('own.browserOn', { browser, system })
      : (browser ?? system ?? t('own.unknownBrowser'));
  const address = session.address || '–';
  return (
    <tr>
      <Cell>
        <span className="font-medium" title={session.browser}>
          {name}
        </span>{' '}
        {isThis ? <Badge tone="good">{t('own.thisOne')}</Badge> : null}
      </Cell>
      <Cell label={t('own.address')}>
        <span className="font-mono text-xs">{address}</span>
      </Cell>
      <Cell label={t('own.signedIn')}>
        <RelativeTime iso={session.signedInAt.toISOString()} />
      </Cell>
      <Cell label={t('own.lastUsed')}>
        <RelativeTime iso={session.seenAt.toISOString()} />
      </Cell>
      <Cell className="sm:text-right">
        <EndSession id={session.id} isThis={isThis} label={t('own.endNamed', { browser: name, address })} />
      </Cell>
    </tr>
  );
}
