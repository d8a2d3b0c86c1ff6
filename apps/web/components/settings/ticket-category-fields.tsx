import type { TicketCategory } from '@bailiff/core';
import { Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { CheckField, TextField } from '#components/ui/field.tsx';
import { NumberField } from './number-field.tsx';
import { QuestionList } from './question-list.tsx';

/** A role that can be mentioned in new tickets. */
export interface TicketRole {
  readonly id: string;
  readonly name: string;
}

/** How long the parts of a category can be, and how many there can be. */
export interface TicketFormLimits {
  readonly name: number;
  readonly text: number;
  readonly questions: number;
  readonly roles: number;
  readonly closeHours: number;
  readonly usualCloseHours: number;
}

interface Props {
  category: TicketCategory;
  number: number;
  roles: readonly TicketRole[];
  limits: TicketFormLimits;
  issueOf: (path: string) => string | undefined;
  onChange: (changes: Partial<TicketCategory>) => void;
  onRemove: () => void;
}

/** The fields of one category of tickets. */
export function TicketCategoryFields({
  category,
  number,
  roles,
  limits,
  issueOf,
  onChange,
  onRemove,
}: Props) {
  const t = useTranslations('settings.tickets');
  const { name, description, questions, role_ids: chosen } = category;
  const known = { category: name.trim() === '' ? t('categoryNumber', { number }) : name };
  // A role that may read tickets no more stays until it is unchecked.
  const offered = [
    ...roles,
    ...chosen.filter((id) => !roles.some((role) => role.id === id)).map((id) => ({ id, name: id })),
  ];
  return (
    <fieldset className="border-line grid min-w-0 grid-cols-1 gap-3 rounded-lg border p-3.5 wrap-anywhere">
      <legend className="max-w-full px-1 font-medium">{known.category}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={t('name', { number })}
          required
          maxLength={limits.name}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
          error={issueOf('name')}
        />
        <TextField
          label={t('description', known)}
          maxLength={limits.text}
          value={description}
          onChange={({ target }) => onChange({ description: target.value })}
          error={issueOf('description')}
        />
      </div>
      <QuestionList
        questions={questions}
        most={limits.questions}
        mostCharacters={limits.text}
        labels={{
          title: t('questions'),
          question: (each) => t('question', { number: each, ...known }),
          remove: (each) => t('removeQuestion', { number: each, ...known }),
          add: t('addQuestion', known),
        }}
        issueOf={(index) => issueOf(`questions.${index}`)}
        onChange={(next) => onChange({ questions: next })}
      />
      <NumberField
        label={t('closeAfter', known)}
        hint={t('closeAfterHint')}
        least={1}
        most={limits.closeHours}
        value={category.close_after_hours ?? limits.usualCloseHours}
        error={issueOf('close_after_hours')}
        onChange={(close_after_hours) => onChange({ close_after_hours })}
      />
      <fieldset className="min-w-0">
        <legend className="mb-1 font-medium">{t('roles', known)}</legend>
        {offered.length === 0 ? (
          <p className="text-ink-soft">{t('noRoles')}</p>
        ) : (
          <div className="flex flex-wrap gap-x-5 gap-y-2">
            {offered.map((role) => (
              <CheckField
                key={role.id}
                label={`@${role.name}`}
                checked={chosen.includes(role.id)}
                disabled={!chosen.includes(role.id) && chosen.length >= limits.roles}
                onChange={({ target }) =>
                  onChange({
                    role_ids: target.checked ? [...chosen, role.id] : chosen.filter((id) => id !== role.id),
                  })
                }
              />
            ))}
          </div>
        )}
      </fieldset>
      <div>
        <Button variant="quiet" className="whitespace-normal!" onClick={onRemove}>
          <Trash2 aria-hidden size={16} className="shrink-0" />
          {t('removeCategory', known)}
        </Button>
      </div>
    </fieldset>
  );
}
