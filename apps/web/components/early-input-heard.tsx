'use client';

import { useEffect } from 'react';

/** Has what was done before the scripts ran (src/early-input-script.ts) done again. */
export function EarlyInputHeard() {
  useEffect(() => window.bailiffEarlyInput?.begin(), []);
  return null;
}
