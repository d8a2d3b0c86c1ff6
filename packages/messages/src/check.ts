// Prints what is wrong with the words, for people who change or translate them: `npm run messages`.
import { problemsIn } from './problems.ts';
import { readWordFiles } from './word-files.ts';

const problems = problemsIn(await readWordFiles());
process.stdout.write(problems.length === 0 ? 'The words are whole.\n' : `${problems.join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
