import { serveThread } from "../../infrastructure/platform/threads/serve-thread.ts"
import type { SiteBase, SiteFile } from "../../infrastructure/web/docs/site-files.ts"
import { renderSite } from "./render.ts"

serveThread<undefined, undefined, SiteBase, ReadonlyArray<SiteFile>>(() => ({
  ready: undefined,
  answer: renderSite
}), { inBackground: true })
