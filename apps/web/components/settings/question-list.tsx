import { Plus, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { TextField } from '#components/ui/field.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';

interface Props {
  id?: string;
  questions: readonly string[];
  most: number;
  mostCharacters: number;
  /** What the parts are called. A page with several lists names each part apart. */
  labels: {
    readonly title: string;
    readonly question: (number: number) => string;
    readonly remove: (number: number) => string;
    readonly add: string;
  };
  issueOf: (index: number) => string | undefined;
  onChange: (questions: string[]) => void;
}

/** The questions that people are asked, to write, to add and to remove. */
export function QuestionList({ id, questions, most, mostCharacters, labels, issueOf, onChange }: Props) {
  const t = useTranslations('settings.appeals');
  const isFull = questions.length >= most;
  return (
    <div id={id}>
      <h3 className="mb-2 font-medium">{labels.title}</h3>
      <ol className="grid gap-2">
        {questions.map((question, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a question is known by its place alone
          <li key={index} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
            <TextField
              label={labels.question(index + 1)}
              required
              maxLength={mostCharacters}
              value={question}
              onChange={({ target }) => onChange(questions.with(index, target.value))}
              error={issueOf(index)}
            />
            <Button
              variant="quiet"
              size="icon"
              className="mt-6"
              aria-label={labels.remove(index + 1)}
              title={labels.remove(index + 1)}
              onClick={() => onChange(questions.toSpliced(index, 1))}
            >
              <Trash2 aria-hidden size={16} />
            </Button>
          </li>
        ))}
      </ol>
      <Button
        // It may name a category.
        className="mt-2 whitespace-normal!"
        disabled={isFull}
        onClick={() => onChange([...questions, ''])}
      >
        <Plus aria-hidden size={16} className="shrink-0" />
        {labels.add}
      </Button>
      <Obstacles because={[isFull ? t('full', { count: most }) : null]} />
    </div>
  );
}
