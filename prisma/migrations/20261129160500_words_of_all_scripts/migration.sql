-- The words of cases are separated by what separates words in every script (SQL `case_words`).
REINDEX INDEX "cases_words_idx";
