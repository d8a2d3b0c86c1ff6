import type { Metadata } from 'next';
import Link from 'next/link';
import { redirect } from 'next/navigation';
import { SignInButton } from '../../components/sign-in.tsx';
import { TopBar } from '../../components/top-bar.tsx';
import { Notice, Panel } from '../../components/ui/panel.tsx';
import { currentSession, localPath } from '../../src/pages.ts';

export const metadata: Metadata = { title: 'Sign in' };

const FAILURES: Readonly<Record<string, string>> = {
  OAuthSignin: 'Discord could not be reached. Try again in a moment.',
  OAuthCallback: 'Discord did not confirm the sign-in. You may have cancelled it; try again.',
  Callback: 'The sign-in could not be completed. Try again in a moment.',
};

interface Query {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function SignInPage({ searchParams }: Query) {
  const { callbackUrl, error } = await searchParams;
  const path = localPath(callbackUrl);
  if ((await currentSession()) !== null) redirect(path);
  return (
    <>
      <TopBar session={null} />
      <main id="content" className="mx-auto w-full max-w-md px-4 py-16">
        <Panel className="p-6">
          <h1 className="text-xl font-semibold tracking-tight">Sign in to Bailiff</h1>
          <p className="text-ink-soft mt-1 mb-5">
            For owners and moderators of guilds that Bailiff looks after. Discord tells us your id, name and
            picture, nothing else.
          </p>
          {typeof error === 'string' ? (
            <div className="mb-4">
              <Notice tone="danger" title="You are not signed in">
                {FAILURES[error] ?? 'The sign-in did not work. Try again.'}
              </Notice>
            </div>
          ) : null}
          <SignInButton callbackUrl={path} />
        </Panel>
        <p className="text-ink-soft mt-4 text-center">
          Writing a program?{' '}
          <Link href="/docs/api" className="text-accent underline">
            Read the API reference
          </Link>
        </p>
      </main>
    </>
  );
}
