import type { Translated } from '#src/translated.ts';

export const signIn: Translated<'signIn'> = {
  title: 'Iniciar sesión',
  heading: 'Iniciar sesión en Bailiff',
  lead: 'Para propietarios y moderadores de los servidores que cuida Bailiff. Discord nos dice su ID, su nombre y su imagen, nada más.',
  withDiscord: 'Iniciar sesión con Discord',
  opening: 'Abriendo Discord …',
  noAnswer: 'El servidor no ha respondido. Inténtelo de nuevo en un momento.',
  failed: 'No ha iniciado sesión',
  failures: {
    OAuthSignin: 'No se ha podido contactar con Discord. Inténtelo de nuevo en un momento.',
    OAuthCallback: 'Discord no ha confirmado el inicio de sesión. Quizá lo canceló; inténtelo de nuevo.',
    Callback: 'No se ha podido completar el inicio de sesión. Inténtelo de nuevo en un momento.',
    other: 'El inicio de sesión no ha funcionado. Inténtelo de nuevo.',
  },
  writing: '¿Está escribiendo un programa?',
  readReference: 'Lea la referencia de la API',
};
