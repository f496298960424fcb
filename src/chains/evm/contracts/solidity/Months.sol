// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title Calendar months
/// @notice NOT AUDITED. The dates of a rhythm of months, in Unix seconds and UTC: each has the day and the time of the
/// first one. A month without that day has its last day instead, and the day comes back in the month after it.
library Months {
    uint256 private constant DAY = 86_400;
    /// @dev Days from 0000-03-01 to 1970-01-01. Years of this arithmetic begin in March, so a leap day is their last.
    uint256 private constant EPOCH = 719_468;
    uint256 private constant DAYS_OF_ERA = 146_097;
    /// @dev The days of the shortest month.
    uint256 private constant SHORTEST = 28;

    /// @notice The first date after `moment` of those that are `months`, twice `months` and so on after `start`.
    /// @param start not after `moment`; both before 2^40
    /// @param months at least 1, less than 2^16
    function dateAfter(uint256 start, uint256 months, uint256 moment) internal pure returns (uint256 date) {
        unchecked {
            (uint256 first, uint256 day) = _monthOf(start / DAY);
            (uint256 last, ) = _monthOf(moment / DAY);
            uint256 month = last - ((last - first) % months);
            date = _dayOf(month, day) * DAY + (start % DAY);
            if (date <= moment) date = _dayOf(month + months, day) * DAY + (start % DAY);
        }
    }

    /// @dev The month (counted from March of the year 0) and the day in it (from 0) of a day (counted from 1970-01-01).
    function _monthOf(uint256 day) private pure returns (uint256 month, uint256 dayOfMonth) {
        unchecked {
            day += EPOCH;
            uint256 era = day / DAYS_OF_ERA;
            uint256 ofEra = day % DAYS_OF_ERA;
            uint256 year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365;
            uint256 ofYear = ofEra - (365 * year + year / 4 - year / 100);
            uint256 ofMonths = (5 * ofYear + 2) / 153;
            month = (era * 400 + year) * 12 + ofMonths;
            dayOfMonth = ofYear - (153 * ofMonths + 2) / 5;
        }
    }

    /// @dev The day (counted from 1970-01-01) with this number in the month, or the last day of the month.
    function _dayOf(uint256 month, uint256 dayOfMonth) private pure returns (uint256) {
        unchecked {
            uint256 begin = _beginOf(month);
            if (dayOfMonth < SHORTEST) return begin + dayOfMonth;
            return begin + Math.min(dayOfMonth, _beginOf(month + 1) - begin - 1);
        }
    }

    /// @dev The first day (counted from 1970-01-01) of a month (counted from March of the year 0).
    function _beginOf(uint256 month) private pure returns (uint256) {
        unchecked {
            uint256 year = month / 12;
            return 365 * year + year / 4 - year / 100 + year / 400 + (153 * (month % 12) + 2) / 5 - EPOCH;
        }
    }
}
