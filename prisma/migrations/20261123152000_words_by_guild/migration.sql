-- The words of cases are kept for each guild apart (SQL `case_words`).
REINDEX INDEX "cases_words_idx";
