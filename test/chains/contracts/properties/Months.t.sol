// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Months} from "../../../../src/chains/evm/contracts/solidity/Months.sol";
import {Calendar} from "./Calendar.sol";

/// @title Calendar months, by trying: a solver gives up on their divisions
contract MonthsTest {
    uint256 private constant DAYS_UNTIL_2024 = 19_723;

    /// @notice For every day of 400 years, after which the calendar repeats: the next monthly date is in the next month, on
    /// the same day or its last one. The second before, it is still that date.
    function test_everyDayOf400Years() external pure {
        uint256 begin = DAYS_UNTIL_2024;
        for (uint256 month; month < 4_800; ++month) {
            uint256 length = Calendar.lengthOf(2024 + month / 12, month % 12);
            uint256 next = Calendar.lengthOf(2024 + (month + 1) / 12, (month + 1) % 12);
            for (uint256 day; day < length; ++day) {
                uint256 start = (begin + day) * 1 days + 1;
                uint256 date = (begin + length + (day < next ? day : next - 1)) * 1 days + 1;
                assert(Months.dateAfter(start, 1, start) == date);
                assert(Months.dateAfter(start, 1, date - 1) == date);
            }
            begin += length;
        }
    }

    /// @notice Any number of months: the date is one of the rhythm, it is after the moment, and none is between them.
    function testFuzz_dates(uint256 start, uint256 months, uint256 wait) external pure {
        start = 1_704_067_200 + (start % (30 * 365 days));
        months = 1 + (months % 36);
        uint256 moment = start + (wait % (20 * 365 days));
        uint256 date = Months.dateAfter(start, months, moment);
        uint256 before = Calendar.datesUntil(start, months, moment);
        assert(date > moment);
        assert(Calendar.datesUntil(start, months, date - 1) == before);
        assert(Calendar.datesUntil(start, months, date) == before + 1);
    }
}
