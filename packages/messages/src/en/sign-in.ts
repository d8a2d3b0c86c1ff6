/** The page where people sign in. */
export const signIn = {
  title: 'Sign in',
  heading: 'Sign in to Bailiff',
  lead: 'For owners and moderators of guilds that Bailiff looks after. Discord tells us your id, name and picture, nothing else.',
  withDiscord: 'Sign in with Discord',
  opening: 'Opening Discord …',
  noAnswer: 'The server did not answer. Try again in a moment.',
  failed: 'You are not signed in',
  failures: {
    OAuthSignin: 'Discord could not be reached. Try again in a moment.',
    OAuthCallback: 'Discord did not confirm the sign-in. You may have cancelled it; try again.',
    Callback: 'The sign-in could not be completed. Try again in a moment.',
    other: 'The sign-in did not work. Try again.',
  },
  writing: 'Writing a program?',
  readReference: 'Read the API reference',
} as const;
