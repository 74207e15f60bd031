import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page is served at the root of the sandbox workspace; `build.ts` says where the files go. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react()],
  build: { target: 'es2023', chunkSizeWarningLimit: 2000 },
});
