/**
 * What is wrong with a value that somebody typed, where neither the value's type nor its length is: `message` for the
 * API, and what it says for people's languages, `errors.issues.own` (packages/messages).
 */
export interface WordedIssue {
  readonly message: string;
  readonly say: IssueWords;
}

export interface IssueWords {
  readonly key: IssueKey;
  readonly values?: Readonly<Record<string, string>>;
}

export type IssueKey =
  | 'host'
  | 'notNetwork'
  | 'prefix'
  | 'hostBits'
  | 'allowlistFull'
  | 'noCapability'
  | 'control'
  | 'patternMany'
  | 'patternEmpty'
  | 'patternLong'
  | 'patternHidden'
  | 'patternTwice'
  | 'passwordAgain'
  | 'templateNothing'
  | 'templateDenied'
  | 'presetName'
  | 'questionsChanged'
  | 'questionNeeded'
  | 'importsFull'
  | 'noRefusal'
  | 'noApproval'
  | 'requestDecided'
  | 'requestLapsed'
  | 'codeDecided'
  | 'words';
