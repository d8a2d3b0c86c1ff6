import type { Translated } from '#src/translated.ts';

export const guard: Translated<'guard'> = {
  lead: 'Cole uma requisição à API pública e veja qual verificação a recusaria, e por quê. Nada é executado, cobrado ou registrado.',
  noToken: 'Não há token com que verificar',
  noTokenText: 'A requisição é verificada como se um token deste servidor a fizesse. Crie um em API & MCP.',
  request: 'Requisição',
  requestHint:
    'Uma linha do curl, ou método e caminho com o corpo JSON abaixo. Um segredo nela não sai deste navegador.',
  token: 'Token',
  tokenHint: 'Escolhido aqui no lugar do segredo.',
  address: 'Do endereço',
  addressHint: 'De onde a requisição viria. O seu já está preenchido.',
  check: 'Verificar',
  unreadable:
    'Isto não é uma requisição. Comece com um método e um caminho, como GET /strikes, ou cole uma linha do curl.',
  elsewhere: 'A requisição vai para {host} e não para este Bailiff. Ela é verificada como se chegasse aqui.',
  tokenState: '{name} ({state, select, active {ativo} expired {expirado} other {revogado}})',

  admitted: 'Ela seria admitida',
  admittedText:
    'Todas as verificações a deixam passar. Se o Discord e a hierarquia de cargos permitem só se vê na execução.',
  refused: 'Ela seria recusada: {status} {code}',
  checks: 'As verificações, na ordem',
  passed: 'passou',
  stopped: 'recusada',
  notReached: 'não alcançada',
  notNeeded: 'não é necessária',
  whatItDoes: 'O que ela faz',
  sentinel: 'A frase de que ela precisa',
  sentinelHint: '_confirmation deve dizer isto no corpo JSON.',
  sentinelMatches: 'a requisição diz a frase',
  sentinelMissing: 'a requisição não diz a frase',
  copySentinel: 'Copiar a frase',

  step: {
    limit: 'Limite do endereço',
    browser: 'Não vem de um navegador',
    route: 'Método e caminho são conhecidos',
    token: 'O token é conhecido',
    address: 'O endereço está na lista dele',
    revoked: 'Ele não está revogado',
    expired: 'Ele não expirou',
    guild: 'O servidor é o dele',
    tier: 'O servidor está no plano pago',
    mirror: 'Sabe-se o que quem o emitiu pode fazer',
    capability: 'Ele tem a capacidade agora',
    input: 'A entrada é válida',
    settings: 'As configurações do servidor permitem',
    window: 'Há uma janela aberta para ele',
    sentinel: 'A frase está certa',
    budgets: 'Os dois orçamentos podem pagar',
  },
};
