/** A session that has ended while a page was open, and the way back in. */
export const session = {
  ended: 'Your session has ended, and nothing was done. What you typed stays here.',
  signInAgain: 'Sign in again in a new tab',
  signedInAgain: 'You are signed in again. Send it once more.',
  backTitle: 'You are signed in',
  backLead: 'Go back to the tab you came from. What you typed is still there; send it once more.',
} as const;
