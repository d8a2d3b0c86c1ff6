import type { Session } from '@bailiff/engine';
import { Gavel } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { currentTheme, PREFERENCES } from '../src/pages.ts';
import { ThemeButton } from './preferences.tsx';
import { SignOutButton } from './sign-in.tsx';

/** The bar above every page. */
export async function TopBar({ session, children }: { session: Session | null; children?: ReactNode }) {
  return (
    <header className="border-line bg-surface border-b">
      <div className="mx-auto flex h-13 max-w-[100rem] items-center gap-2 px-3 sm:px-5">
        <Link href="/" className="flex items-center gap-2 rounded font-semibold no-underline">
          <Gavel aria-hidden size={18} className="text-accent" />
          Bailiff
        </Link>
        <div className="min-w-0 flex-1">{children}</div>
        {session === null ? null : (
          <span className="text-ink-soft hidden max-w-40 truncate sm:block">{session.name}</span>
        )}
        <ThemeButton name={PREFERENCES.theme} theme={await currentTheme()} />
        {session === null ? null : <SignOutButton />}
      </div>
    </header>
  );
}
