import type { Translated } from '#src/translated.ts';

export const session: Translated<'session'> = {
  ended: 'Su sesión ha terminado y no se hizo nada. Lo que escribió sigue aquí.',
  signInAgain: 'Iniciar sesión de nuevo en otra pestaña',
  signedInAgain: 'Ha iniciado sesión de nuevo. Envíelo otra vez.',
  backTitle: 'Ha iniciado sesión',
  backLead: 'Vuelva a la pestaña de la que vino. Lo que escribió sigue allí; envíelo otra vez.',
};
