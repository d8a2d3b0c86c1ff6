import type { Translated } from '#src/translated.ts';

export const errors: Translated<'errors'> = {
  notDone: 'Não foi feito. {why}',
  notCertain: 'Incerto. {why}',
  request: 'Solicitação {id}',
  ours: 'Algo deu errado do nosso lado. Avise o operador do bot.',
  owner: 'O servidor pertence a {owner}.',
  capabilityDenied:
    'Você não pode fazer isto: é preciso a capacidade {missing}, que o dono do servidor concede no painel.',
  alreadyClaimed: 'Outra pessoa assumiu este ticket.',
  rateLimited:
    'Coisas demais de uma vez. Tente de novo em {seconds, plural, one {# segundo} many {# de segundos} other {# segundos}}.',
  forbidden: {
    targetIsOwner: 'Não é possível fazer isto ao dono do servidor.',
    targetIsBot: 'Não é possível fazer isto ao bot.',
    targetIsSelf: 'Você não pode fazer isto a si mesmo.',
    roleHierarchy: 'O cargo mais alto desta pessoa não está abaixo do seu e do cargo do bot.',
    botMissingPermission:
      '{count, plural, =0 {Falta ao bot uma permissão do Discord necessária para isto. Conceda-a ao cargo dele} one {Falta ao bot a permissão do Discord {permissions}. Conceda-a ao cargo dele} many {Falta ao bot uma permissão do Discord. Conceda ao cargo dele {permissions}} other {Falta ao bot uma permissão do Discord. Conceda ao cargo dele {permissions}}}, no servidor e no canal.',
    commandNotAllowed: 'A política de comandos deste servidor de jogo não permite o comando.',
    notClaimer: 'Só quem assumiu o ticket, ou o dono do servidor, pode liberá-lo.',
    ticketLimit:
      'Você tem 5 tickets abertos, que é o máximo. Escreva em um deles, ou peça que um seja fechado.',
    channelLimit:
      'Este servidor tem tantos canais quanto o Discord permite. Feche primeiro um ticket ou apague um canal.',
    ownerOnly: 'Só o dono do servidor pode fazer isto.',
    noteLimit: 'Esta pessoa já tem todas as notas possíveis. Remova uma primeiro.',
    presetLimit: 'O servidor já tem todos os motivos predefinidos possíveis. Remova um primeiro.',
    escalationChanged: 'O que esta advertência acarreta mudou nesse meio-tempo. Confira e decida de novo.',
    notDue: 'Isto não é mais devido: as advertências ou as regras mudaram.',
  },
  unavailable: {
    bot: '{outcome, select, unknown {O bot não respondeu a tempo: ainda não se sabe se foi feito.} other {O bot não pode fazer isto no momento. Nada foi feito; tente de novo em um minuto.}}',
    discord:
      '{outcome, select, unknown {O Discord não deu uma resposta segura: ainda não se sabe se foi feito. O registro de auditoria dirá.} other {O Discord não fez a parte dele. Nada foi feito; tente de novo.}}',
    gameServer:
      '{outcome, select, unknown {O comando foi enviado, mas o servidor de jogo não respondeu por completo: pode ter sido executado. Ele não é enviado de novo.} other {O servidor de jogo está inacessível. Nada foi executado.}}',
    database:
      '{outcome, select, unknown {O banco de dados não responde: ainda não se sabe se foi feito.} other {O banco de dados não responde. Nada foi feito; tente de novo em alguns segundos.}}',
  },
  notFound: {
    strike: 'Esta advertência não está mais em vigor: já foi removida.',
    user: 'O Discord não conhece esta pessoa.',
    ban: 'Esta pessoa não está banida.',
    member: 'Esta pessoa não é membro do servidor.',
    mute: 'Esta pessoa não está silenciada.',
    case: 'Este servidor não tem nenhum caso {number}.',
    channel: 'Este servidor não tem esse canal.',
    ticket: 'Este ticket já está fechado.',
    server: 'Este servidor não tem esse servidor de jogo.',
    note: 'Esta nota não existe mais.',
  },
  issues: {
    at: '{option}: {problem}',
    required: 'é obrigatório',
    oneOf: 'deve ser um destes valores: {values}',
    wholeNumber: 'deve ser um número inteiro',
    leastCharacters:
      'deve ter pelo menos {count, plural, one {# caractere} many {# de caracteres} other {# caracteres}}',
    mostCharacters:
      'deve ter no máximo {count, plural, one {# caractere} many {# de caracteres} other {# caracteres}}',
    least: 'deve ser pelo menos {bound}',
    most: 'deve ser no máximo {bound}',
    noLength: '“{text}” não é uma duração. Escreva por exemplo 30m, 2d ou 1w.',
    invalid: 'não é válido',
  },
};
