'use client';

import { useEffect } from 'react';
import { announceSignIn } from './sign-in-channel.ts';

/** Tells the other tabs of this browser that the person has signed in. */
export function AnnounceSignIn() {
  useEffect(announceSignIn, []);
  return null;
}
