/** The look of the option that Enter chooses: with an outline, since its colour alone is hardly another one. */
export const ACTIVE_OPTION = 'bg-accent-tint outline-2 -outline-offset-2 outline-accent';
