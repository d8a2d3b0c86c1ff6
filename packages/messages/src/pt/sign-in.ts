import type { Translated } from '#src/translated.ts';

export const signIn: Translated<'signIn'> = {
  title: 'Entrar',
  heading: 'Entrar no Bailiff',
  lead: 'Para donos e moderadores dos servidores de que o Bailiff cuida. O Discord nos informa seu ID, seu nome e sua imagem, nada mais.',
  withDiscord: 'Entrar com o Discord',
  opening: 'Abrindo o Discord …',
  noAnswer: 'O servidor não respondeu. Tente de novo em um instante.',
  failed: 'Você não entrou',
  failures: {
    OAuthSignin: 'Não foi possível alcançar o Discord. Tente de novo em um instante.',
    OAuthCallback: 'O Discord não confirmou a entrada. Talvez você a tenha cancelado; tente de novo.',
    Callback: 'Não foi possível concluir a entrada. Tente de novo em um instante.',
    other: 'A entrada não funcionou. Tente de novo.',
  },
  writing: 'Está escrevendo um programa?',
  readReference: 'Leia a referência da API',
};
