'use client';

import { useEffect } from 'react';
import { tellSignIn } from './signed-in.ts';

/** Tells the other tabs of this browser that somebody has signed in. */
export function TellSignIn() {
  useEffect(tellSignIn, []);
  return null;
}
