import type { Translated } from '#src/translated.ts';

export const session: Translated<'session'> = {
  ended: 'A sua sessão terminou e nada foi feito. O que você digitou continua aqui.',
  signInAgain: 'Entrar de novo em outra aba',
  signedInAgain: 'Você entrou de novo. Envie mais uma vez.',
  backTitle: 'Você entrou',
  backLead: 'Volte à aba de onde veio. O que você digitou continua lá; envie mais uma vez.',
};
