import { testPages } from "./test-pages.ts"
import { windows } from "./windows.ts"

// One window for each page. The pages of each site meet all windows.
testPages("pages for people, each in one window", (index, window) => index % windows.length === window)
