/** `localStorage` lasts longer than its tab. Reading either throws in a frame without storage. */
type StorageName = 'localStorage' | 'sessionStorage';

/** What this browser has under a name, as the page itself has stored it; null: nothing. */
export function stored<T>(storage: StorageName, name: string): T | null {
  try {
    return JSON.parse(window[storage].getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

/** Stores a value under a name; null removes it. False: this browser stores nothing. */
export function store(storage: StorageName, name: string, value: object | null): boolean {
  try {
    if (value === null) window[storage].removeItem(name);
    else window[storage].setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
