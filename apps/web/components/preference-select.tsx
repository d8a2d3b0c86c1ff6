'use client';

import { useRouter } from 'next/navigation';
import type { ComponentProps } from 'react';
import { savePreference } from './save-preference.ts';

/** A choice that is kept in this browser under `name`, a cookie, and shown at once. */
export function PreferenceSelect({ name, ...select }: ComponentProps<'select'> & { name: string }) {
  const router = useRouter();
  return (
    <select
      {...select}
      onChange={({ target }) => {
        savePreference(name, target.value);
        router.refresh();
      }}
    />
  );
}
