/** The package's own types are those of its CommonJS file, which TypeScript reads as another shape. */
declare module 'bidi-js/dist/bidi.mjs' {
  function bidiFactory(): {
    getEmbeddingLevels(text: string, direction: 'ltr' | 'rtl'): { readonly levels: Uint8Array };
    getMirroredCharacter(sign: string): string | null;
  };

  export = bidiFactory;
}
