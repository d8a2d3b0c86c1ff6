import type { Translator } from '@bailiff/messages';
import { redirect } from 'next/navigation';
import { Messages } from '#components/messages.tsx';
import { NeedsScripts } from '#components/needs-scripts.tsx';
import { SignInButton } from '#components/sign-in.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Link } from '#components/ui/link.tsx';
import { Callout, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { currentSession, localPath } from '#src/pages.ts';

export async function generateMetadata() {
  return { title: (await messagesFor('signIn'))('title') };
}

/** The error codes of next-auth, and one of ours, that have their own message; others get a general one. */
const FAILURES = ['OAuthSignin', 'OAuthCallback', 'Callback', 'cancelled'] as const;

interface Query {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function SignInPage({ searchParams }: Query) {
  const { callbackUrl, error, again } = await searchParams;
  const path = localPath(callbackUrl);
  // `again` asks for a fresh sign-in, and an error is read first.
  if (again === undefined && error === undefined && (await currentSession()) !== null) redirect(path);
  const t = await messagesFor('signIn');
  return (
    <>
      <TopBar session={null} />
      <main id="content" className="mx-auto w-full max-w-md px-4 py-16">
        <Panel className="p-6">
          <h1 className="text-xl font-semibold tracking-tight">{t('heading')}</h1>
          <p className="text-ink-soft mt-1 mb-5">{t('lead')}</p>
          {typeof error === 'string' ? (
            <div className="mb-4">
              <Callout tone={error === 'cancelled' ? 'info' : 'danger'} title={t('failed')}>
                {failureIn(t, error)}
              </Callout>
            </div>
          ) : null}
          <NeedsScripts />
          <Messages namespaces={['signIn']}>
            <SignInButton callbackUrl={path} />
          </Messages>
        </Panel>
        <p className="text-ink-soft mt-4 text-center">
          {t('writing')}{' '}
          <Link href="/docs/api" className="text-accent underline">
            {t('readReference')}
          </Link>
        </p>
      </main>
    </>
  );
}

function failureIn(t: Translator<'signIn'>, error: string): string {
  return t(`failures.${FAILURES.find((known) => known === error) ?? 'other'}`);
}
