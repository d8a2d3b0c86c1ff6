import type { Translated } from '#src/translated.ts';

export const device: Translated<'device'> = {
  title: 'Conectar um cliente',
  lead: 'Um cliente no seu computador, como o Bailiff MCP, mostra um código de oito letras. Digite-o aqui para dar ao cliente um token para um dos seus servidores.',
  freeTier: 'no plano gratuito; os tokens são do plano pago',
  botAway: 'o bot não está conectado; tente de novo em um minuto',
  noneOwned: 'Você não é proprietário de nenhum servidor em que o Bailiff esteja',
  noneOwnedText:
    'Somente o proprietário de um servidor pode deixar um cliente entrar. Adicione o Bailiff a um servidor seu ou peça ao proprietário que digite o código.',
  add: 'Adicionar o Bailiff a um servidor',
  noneFit: 'Nenhum dos seus servidores pode receber um cliente agora',
  noClient: 'Ainda não tem um cliente?',
  noClientText: 'Execute isto em um terminal. Ele mostra o código.',
  thenConfigure: 'Depois, diga ao seu assistente para iniciá-lo:',

  code: 'Código',
  codeHint:
    'Como o cliente mostra. Os códigos duram {minutes, plural, one {# minuto} many {# de minutos} other {# minutos}}.',
  codeGiven: 'O link trouxe este código. Continue somente se o seu próprio cliente mostrar o mesmo.',
  continue: 'Continuar',
  looking: 'Procurando…',
  asks: '{client} pede um token',
  client: 'Cliente',
  fromAddress: 'Do endereço',
  asked: 'Pedido',
  lapsesIn: 'Caduca em',
  guild: 'Servidor',
  guildHint: 'O token é somente para este servidor: por 90 dias, com tudo o que você pode fazer lá.',
  didYou: 'Foi você quem iniciou este cliente, agora há pouco?',
  didYouText:
    'Quem o executar vai agir em seu nome. Chamadas destrutivas continuam esperando a sua aprovação.',
  authorise: 'Autorizar',
  refuse: 'Recusar',
  lapsed: 'O código caducou',
  lapsedText:
    'Os códigos duram {minutes, plural, one {# minuto} many {# de minutos} other {# minutos}}. Comece de novo no cliente para obter outro.',
  another: 'Digitar outro código',
  refused: 'Recusado',
  refusedText: '{client} não recebe nenhum token. Você pode fechar esta página.',
  authorised: 'Autorizado',
  authorisedText: '{client} busca o token dele para {guild} em segundos. Você pode fechar esta página.',
  seeTokens: 'Ver os tokens de {guild}',
};
