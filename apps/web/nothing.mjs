// In place of a module that no browser needs (smaller-modules.mjs).
export {};
