<?php
// Prints what was verified under a remark. BASE_URL=… API_KEY=… php history.php REMARK

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

$query = ['remark' => $argv[1], 'limit' => 100];
do {
    $page = slipTrail('GET', '/v2/verifications?' . http_build_query($query));
    foreach ($page['items'] as ['outcome' => $outcome, 'amount' => $amount]) {
        echo $outcome, ' ', $amount ?? 0, "\n";
    }
    $query['cursor'] = $page['nextCursor'];
} while ($query['cursor'] !== null);
