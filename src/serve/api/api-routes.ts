// The routes of the HTTP API.

import type { Route } from "../http/route.ts";
import { artifactRoutes } from "./artifact-routes.ts";
import { automationRoutes } from "./automation-routes.ts";
import { controlRoutes } from "./control-routes.ts";
import { evalRoutes } from "./eval-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { listRoutes } from "./list-routes.ts";
import { projectRoutes } from "./project-routes.ts";
import { searchRoutes } from "./search-routes.ts";
import { serverRoutes } from "./server-routes.ts";
import { startRoutes } from "./start-routes.ts";

/** All routes of `/api/v1`. */
export const apiRoutes: readonly Route[] = [
  ...serverRoutes,
  ...listRoutes,
  ...searchRoutes,
  ...eventRoutes,
  ...startRoutes,
  ...controlRoutes,
  ...projectRoutes,
  ...artifactRoutes,
  ...automationRoutes,
  ...evalRoutes,
];
